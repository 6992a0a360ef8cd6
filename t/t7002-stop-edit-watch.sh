#!/bin/sh

test_description='stop, edit and watch from another terminal'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup: a worker that waits' '
	test_commit -C repo first &&
	flower_waiting_script
'

# waits <name>: a run whose worker waits until ../go is there.
waits () {
	rm -f ../go ../begun &&
	flower_background start --new --name "$1" --rehearse=../script.yaml --timeout 0 "do it" &&
	test_wait_for test -e ../begun
}

# watching <file> <option>...: what watch shows goes into the file; its process is
# watcher.
watching () {
	file=$1
	shift
	git-flower watch "$@" >"$file" 2>"$file.err" &
	watcher=$!
}

test_expect_success 'stop: the driver has ended when it returns, and resume goes on' '
	(
		cd repo &&
		waits one &&
		pid=$flower_pid &&
		git flower stop >../out 2>../err &&
		grep "process $pid has stopped driving run one" ../out && grep "^hint: .*resume one" ../err &&
		flower_wait && test "$flower_code" = 143 &&
		: >../go &&
		git flower resume one </dev/null >../out &&
		test "$(flower_count report one)" = 1
	)
'

test_expect_success 'stop where nobody drives: no failure, and said' '
	cd repo &&
	git flower stop one >../out &&
	grep "no process drives run one" ../out
'

test_expect_success 'watch shows a driven run until its end' '
	(
		cd repo &&
		waits two &&
		watching ../watched two && first=$watcher &&
		test_wait_for test -s ../watched && # it shows what comes from now on
		watching ../all --all --json two &&
		test_wait_for grep -q "\"kind\":\"wake\"" ../all &&
		git flower say --run two "seen by the watcher" &&
		test_wait_for grep -q "queued: seen by the watcher" ../watched &&
		: >../go &&
		flower_wait && test "$flower_code" = 0 &&
		wait "$first" && wait "$watcher" &&
		grep "passed: test -f begun" ../watched &&
		flower_events two >../expect && test_cmp ../expect ../all
	)
'

test_expect_success 'a watched run that is killed: watch ends as well' '
	(
		cd repo &&
		waits three &&
		watching ../all --all --json three &&
		test_wait_for grep -q "\"kind\":\"wake\"" ../all &&
		flower_kill &&
		test_wait_for test_process_gone "$watcher" &&
		code=0 && { wait "$watcher" || code=$?; } && test "$code" = 75 &&
		: >../go
	)
'

test_expect_success 'where nobody drives, watch tells how the run stands' '
	cd repo &&
	git flower watch two >../watched 2>../err &&
	grep "state: *reached" ../watched && grep "no process drives" ../err &&
	test_must_fail code=75 git flower watch three >../watched 2>../err &&
	grep "coder-1:" ../watched && grep "^hint: .*resume three" ../err
'

test_expect_success 'Ctrl-C ends the watching and nothing else' '
	(
		cd repo &&
		waits four &&
		run=$flower_pid &&
		watching ../watched --all four &&
		test_wait_for test -s ../watched &&
		kill -TERM "$watcher" &&
		code=0 && { wait "$watcher" || code=$?; } && test "$code" = 143 &&
		kill -0 "$run" &&
		: >../go &&
		wait "$run"
	)
'

test_expect_success 'edit brief: the goal is set anew from it' '
	(
		cd repo &&
		waits five &&
		GIT_EDITOR="sed -i.bak s/Nothing.else/Only.this/" git flower edit brief five >../out &&
		grep "process $flower_pid drives it" ../out &&
		: >../go &&
		flower_wait && test "$flower_code" = 0 &&
		test "$(flower_count brief five)" = 2 && test "$(flower_count goal five)" = 2 &&
		git show flower/run/five:brief.md >../brief && grep "Only.this" ../brief &&
		git flower fsck five
	)
'

test_expect_success 'a brief that lacks a section is kept beside, not recorded' '
	cd repo &&
	git rev-parse refs/flower/run/five >../before &&
	test_must_fail code=128 env GIT_EDITOR="sed -i.bak /Boundaries/d" git flower edit brief five 2>../err &&
	grep "lacks" ../err &&
	sed -n "s/^hint: your text is in .\(.*\).\$/\1/p" ../err >../file &&
	grep "Only.this" "$(cat ../file)" &&
	git rev-parse refs/flower/run/five >../after && test_cmp ../before ../after
'

test_expect_success 'edit goal: it counts as it stands, and the work is judged by it' '
	cd repo &&
	GIT_EDITOR="sed -i.bak s/-f/-s/" git flower edit goal five &&
	git flower resume five </dev/null >../out &&
	test "$(flower_count goal five)" = 3 &&
	git flower show verdict five >../verdict && grep -e "test -s begun" ../verdict &&
	git flower fsck five
'

test_done
