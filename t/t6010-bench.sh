#!/bin/sh

test_description='scripts, notes and small artifacts of the bench travel with the records'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

# The worker puts things on the bench and waits.
test_expect_success 'setup: a run is cut off while its worker works' '
	flower_script "test -f done" <<-END &&
	- call: {tool: Bash, input: {command: "test -e \"$TRASH_DIRECTORY/go\" && exit; cd \"{{.cap.bench}}\" && mkdir -p notes/deep && printf \"%s\\\\n\" \"#!/bin/sh\" \"# desc: makes it\" \"touch done\" >scripts/make.sh && echo how >notes/deep/how.md && echo said >artifacts/log && seq 9999 >artifacts/big && cp scripts/make.sh artifacts/tool && : >\"$TRASH_DIRECTORY/begun\""}}
	- call: {tool: Bash, input: {command: "echo later >\"{{.cap.bench}}/notes/later.md\"; while test ! -e \"$TRASH_DIRECTORY/go\"; do sleep 0.05; done; sh \"{{.cap.bench}}/scripts/make.sh\" || touch done"}}
	$(flower_report)
	END
	sed "s/own at (?P<dir>.+), at the result so far\"/own at (?P<dir>.+), at the result so far.*The bench at (?P<bench>[^ ]+(?: [^ ]+)*?) is shared\"/" script.yaml >with-bench &&
	mv with-bench script.yaml && flower_takeover &&
	sed "s/^\( *\)- name: take over/&\n\1  repeat: true/" script.yaml >repeated && mv repeated script.yaml &&
	git init -q origin && test_commit -C origin first && cd origin &&
	flower_background start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name odd "do it" &&
	test_wait_for test -e ../begun &&
	flower_wait_event "later.md" && git flower say "be quick" >/dev/null &&
	kill -TERM $flower_pid && flower_wait && test "$flower_code" = 143
'

test_expect_success 'the records hold that and nothing else of it' '
	cd origin && git ls-tree -r --name-only flower/run/odd bench >../actual &&
	printf "%s\n" bench/artifacts/log bench/artifacts/tool bench/notes/deep/how.md bench/notes/later.md bench/scripts/make.sh >../expect &&
	test_cmp ../expect ../actual &&
	git cat-file blob flower/run/odd:bench/scripts/make.sh >../script && test_grep "touch done" ../script
'

resume () {
	git flower resume odd --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 "$@" </dev/null >../out 2>../err
}

bench () {
	echo "$XDG_STATE_HOME/git-flower/$(sed -n 1p .git/flower/id)/bench/odd"
}

test_expect_success 'where the bench was lost they come back' '
	cp -R origin lost && cd lost && rm -rf "$(bench)" && : >../go &&
	resume && test_grep "came back from the records" ../err &&
	test -x "$(bench)/scripts/make.sh" && test_grep how "$(bench)/notes/deep/how.md" &&
	test_grep said "$(bench)/artifacts/log" && test_path_missing "$(bench)/artifacts/big" && git show flower/join/odd:done
'

fetched () {
	git clone -q "${2:-origin}" "$1" && git -C "$1" fetch -q origin "refs/flower/*:refs/flower/*" && cd "$1" &&
	goal=$(git log -1 --format=%H --grep "^goal: " flower/run/odd)
}

test_expect_success 'on another clone texts come back, and programs once they are accepted' '
	fetched clone && tip=$(git rev-parse flower/run/odd) &&
	resume --trust "$goal" && test_grep "2 programs of the bench left out, from elsewhere" ../err &&
	test_grep how "$(bench)/notes/deep/how.md" && test_path_missing "$(bench)/scripts/make.sh" &&
	test_grep said "$(bench)/artifacts/log" && test_path_missing "$(bench)/artifacts/tool" &&
	git ls-tree -r --name-only flower/run/odd bench/scripts >../actual && test_grep make.sh ../actual
'

test_expect_success 'the record that holds them accepts them' '
	fetched trusting && resume --trust "$goal" && test_path_missing "$(bench)/scripts/make.sh" &&
	git flower say "once more" >/dev/null && resume --trust flower/run/odd &&
	test_path_missing "$(bench)/scripts/make.sh" && git flower say "and again" >/dev/null &&
	resume --trust "$(git rev-parse flower/run/odd)" && test -x "$(bench)/scripts/make.sh"
'

# Words for the worker alone leave the goal as it is.
test_expect_success 'setup: one whose goal still counts' '
	rm -f go begun && git init -q standing && test_commit -C standing first && cd standing &&
	flower_background start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name odd "do it" &&
	test_wait_for test -e ../begun &&
	flower_wait_event "later.md" && git flower say --to coder-1 "be quick" >/dev/null &&
	kill -TERM $flower_pid && flower_wait && test "$flower_code" = 143 && : >../go
'

# refused: all there is to accept was shown, nothing came and nothing is recorded.
refused () {
	test_grep "scripts/make.sh" ../err && test_grep "touch done" ../err && test_grep "artifacts/tool" ../err &&
	test_path_missing "$(bench)/scripts/make.sh" && test "$tip" = "$(git rev-parse flower/run/odd)" &&
	hinted=$(sed -n "s/^hint: .*--trust \([0-9a-f]*\) .*/\1/p" ../err) && test -n "$hinted"
}

test_expect_success 'one --trust, the one that is hinted, accepts the commands and the programs' '
	fetched one standing && tip=$(git rev-parse flower/run/odd) &&
	test_expect_code 2 resume && test_grep "test -f done" ../err && refused &&
	test_expect_code 2 resume --trust flower/run/odd && refused &&
	resume --trust "$hinted" && test_grep ! "left out, from elsewhere" ../err &&
	test -x "$(bench)/scripts/make.sh" && test -x "$(bench)/artifacts/tool" && git show flower/join/odd:done
'

test_expect_success 'what changed after the record that is named is not accepted' '
	fetched changed standing && tip=$(git rev-parse flower/run/odd) && test_expect_code 2 resume && refused &&
	(cd ../standing && GIT_EDITOR="sed -i.bak s/test.-f.done/test\ -e\ done/" git flower edit goal odd) &&
	git fetch -q origin "refs/flower/*:refs/flower/*" && tip=$(git rev-parse flower/run/odd) &&
	test_expect_code 2 resume --trust "$hinted" && test_grep "test -e done" ../err && refused
'

test_done
