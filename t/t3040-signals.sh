#!/bin/sh

test_description='signals: a save point, the true exit code, nothing left running'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup: a worker that writes a file and waits' '
	test_commit -C repo first &&
	{
		printf -- "- call:\n    tool: Bash\n    input:\n      command: |\n"
		printf "        echo begun >begun\n        echo \$\$ >\"%s/worker.pid\"\n" "$TRASH_DIRECTORY"
		printf "        while test ! -e \"%s/go\"; do sleep 0.05; done\n" "$TRASH_DIRECTORY"
		flower_report
	} | flower_script "test -f begun"
'

# signalled <name> <signal> <code>: a run that gets the signal while its worker waits.
signalled () {
	rm -f worker.pid go
	(
		cd repo &&
		flower_background start --new --name "$1" --rehearse=../script.yaml --timeout 0 "do it" &&
		test_wait_for test -s ../worker.pid &&
		kill "-$2" "$flower_pid" &&
		flower_wait &&
		test "$flower_code" = "$3"
	) &&
	grep "^hint: .*resume $1" background.err &&
	test_wait_for test_process_gone "$(cat worker.pid)"
}

# goes_on <name>: to the end, with what the worker had written.
goes_on () {
	: >go &&
	(
		cd repo &&
		git flower resume "$1" </dev/null >../out &&
		test "$(flower_count end "$1")" = 1 &&
		test "$(flower_count report "$1")" = 1 &&
		git show "flower/join/$1:begun" >../begun
	)
}

test_expect_success 'Ctrl-C' '
	signalled int INT 130 &&
	goes_on int
'

test_expect_success 'SIGTERM' '
	signalled term TERM 143 &&
	goes_on term
'

test_expect_success HANGUP 'SIGHUP' '
	signalled hup HUP 129 &&
	goes_on hup
'

test_expect_success 'the unfinished work of the worker was kept on a ref of its own' '
	signalled kept TERM 143 &&
	git -C repo show refs/flower/work/kept/coder-1:begun &&
	(cd repo && flower_kinds kept >../kinds) && grep notice kinds
'

test_expect_success 'its tree removed by hand, it is restored from there' '
	rm -rf "$XDG_STATE_HOME"/git-flower/*/tree &&
	goes_on kept &&
	test_must_fail git -C repo rev-parse --verify refs/flower/work/kept/coder-1
'

test_expect_success 'a reader that closes the pipe is no error' '
	cd repo &&
	git flower log int | head -n 1 >../out &&
	test_line_count = 1 ../out
'

test_done
