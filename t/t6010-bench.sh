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
	git clone -q origin "$1" && git -C "$1" fetch -q origin "refs/flower/*:refs/flower/*" && cd "$1" &&
	goal=$(git log -1 --format=%H --grep "^goal: " flower/run/odd)
}

test_expect_success 'on another clone texts come back, and programs once they are accepted' '
	fetched clone && tip=$(git rev-parse flower/run/odd) &&
	resume --trust "$goal" && test_grep "2 scripts of the bench came from elsewhere" ../err &&
	test_grep how "$(bench)/notes/deep/how.md" && test_path_missing "$(bench)/scripts/make.sh" &&
	test_grep said "$(bench)/artifacts/log" && test_path_missing "$(bench)/artifacts/tool" &&
	git ls-tree -r --name-only flower/run/odd bench/scripts >../actual && test_grep make.sh ../actual
'

test_expect_success 'the record that holds them accepts them' '
	fetched trusting && resume --trust "$goal" && test_path_missing "$(bench)/scripts/make.sh" &&
	git flower say "once more" >/dev/null && resume --trust flower/run/odd &&
	test -x "$(bench)/scripts/make.sh"
'

test_done
