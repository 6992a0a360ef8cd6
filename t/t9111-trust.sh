#!/bin/sh

test_description='commands that came from elsewhere run only once they were accepted here'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

# The check tells that it ran.
test_expect_success 'setup: a run is cut off after its goal, before it was judged' '
	flower_script "echo ran >>'"'$TRASH_DIRECTORY/ran'"'; test -f made" <<-END &&
	- call: {tool: Bash, input: {command: ": >made; : >'"'$TRASH_DIRECTORY/running'"'; while test ! -e '"'$TRASH_DIRECTORY/go'"'; do sleep 0.05; done", description: wait}}
	$(flower_report)
	END
	flower_takeover &&
	git init -q origin && test_commit -C origin first && cd origin &&
	flower_background start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name odd "commands" &&
	test_wait_for test -e ../running &&
	kill -TERM $flower_pid && flower_wait && test "$flower_code" = 143 &&
	git log -1 --format=%H --grep "^goal: " flower/run/odd >../goal &&
	: >../go && rm -f ../ran
'

fetched () {
	git clone -q origin "$1" && git -C "$1" fetch -q origin "refs/flower/*:refs/flower/*" && rm -f ran
}

resume () {
	git flower resume --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 "$@" </dev/null >../out 2>../err
}

# refused: the commands were shown, a hint tells how, nothing ran and nothing was recorded.
refused () {
	test_grep "echo ran >>" ../err &&
	test_grep "^hint: .*--trust $(cut -c1-12 ../goal)" ../err &&
	test_path_missing ../ran &&
	test "$tip" = "$(git rev-parse flower/run/odd)"
}

test_expect_success 'without a terminal and without --trust it is a case for a person' '
	fetched clone && cd clone && tip=$(git rev-parse flower/run/odd) &&
	test_expect_code 2 resume && refused
'

test_expect_success 'another commit accepts nothing' '
	cd clone && tip=$(git rev-parse flower/run/odd) &&
	for commit in HEAD flower/run/odd nonsense --help
	do
		test_expect_code 2 resume --trust="$commit" && refused || return 1
	done
'

test_expect_success 'in JSON nobody is asked and the output stays JSON' '
	cd clone && tip=$(git rev-parse flower/run/odd) &&
	test_expect_code 2 resume --json && refused &&
	test_grep ! "^[^{]" ../out
'

test_expect_success 'the ids of this machine in a record do not make it ours' '
	fetched forged && cd forged && tip=$(git rev-parse flower/run/odd) &&
	cp "$XDG_STATE_HOME/git-flower/machine" ../machine &&
	git log --format="%(trailers:key=Flower-Machine,valueonly)" flower/run/odd >../machines &&
	test_grep -x "$(cat ../machine)" ../machines &&
	test_expect_code 2 resume && refused
'

test_expect_success '--trust accepts the goal, by an abbreviated id too' '
	cd clone &&
	resume --trust "$(cut -c1-12 ../goal)" &&
	test_path_exists ../ran &&
	test "$(flower_count end odd)" = 1
'

test_expect_success 'what was accepted is remembered, in the state folder only' '
	fetched again && cd again && tip=$(git rev-parse flower/run/odd) &&
	test_expect_code 2 resume && refused &&
	git update-ref refs/keep/tip flower/run/odd &&
	resume --trust "$(cat ../goal)" &&
	git rev-parse "$(cat ../goal):$(git ls-tree -r --name-only flower/run/odd goals)" >../blob &&
	grep -r -l -x -F -e "$(cat ../blob)" "$XDG_STATE_HOME/git-flower" >../files && : the two and where it was made && test_line_count = 3 ../files &&
	git update-ref -d refs/flower/run/odd && git update-ref -d refs/flower/join/odd &&
	git fetch -q origin "refs/flower/*:refs/flower/*" &&
	rm ../ran && resume && test_path_exists ../ran
'

test_expect_success 'where it was recorded nothing is asked' '
	cd origin && rm -f ../ran &&
	resume && test_path_exists ../ran && test "$(flower_count end odd)" = 1
'

# The run is driven by one clone; another one, which was sent all of it, writes a
# goal of its own and sends it back.
test_expect_success 'a goal that comes while the run is driven is stopped before its commands' '
	git init -q --bare hub.git && git clone -q origin driven && cd driven &&
	rm -f ../go ../running &&
	flower_background start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name live "commands" &&
	test_wait_for test -e ../running &&
	git push -q ../hub.git HEAD:refs/heads/main "refs/flower/*:refs/flower/*" &&
	git clone -q ../hub.git ../other && cd ../other &&
	git fetch -q origin "refs/flower/*:refs/flower/*" &&
	GIT_EDITOR="sed -i -e s,echo.ran.*made,touch\ ~/theirs," git flower edit goal live &&
	git show flower/run/live:goal.md >../planted.goal && test_grep "theirs" ../planted.goal &&
	git push -q origin "refs/flower/*:refs/flower/*" &&
	cd ../driven &&
	git fetch -q ../hub.git "refs/flower/*:refs/flower/*" && : >../go &&
	flower_wait && test "$flower_code" = 2 &&
	test_grep "^hint: .*git flower resume live" ../background.err &&
	test_path_missing "$HOME/theirs" &&
	test "$(flower_count report live)" = 1 && flower_kinds live >../kinds && test_grep ! "^verdict$" ../kinds
'

test_expect_success 'resume shows them and runs nothing; accepted, it goes on' '
	cd driven && tip=$(git rev-parse flower/run/live) &&
	git log -1 --format=%H --grep "^goal: " flower/run/live >../goal &&
	test_expect_code 2 resume live && test_grep "touch ~/theirs" ../err &&
	test_path_missing "$HOME/theirs" && test "$tip" = "$(git rev-parse flower/run/live)" &&
	resume --trust "$(cat ../goal)" live && test_path_exists "$HOME/theirs"
'

test_expect_success 'a run that has ended runs nothing and asks nothing' '
	fetched ended && cd ended &&
	resume odd && test_path_missing ../ran
'

test_done
