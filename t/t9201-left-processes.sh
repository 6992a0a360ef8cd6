#!/bin/sh

test_description='processes that a worker leaves behind

Whatever way a command takes to outlive its worker, it is gone when the command
returns, when we are ended and when the run goes on after we were killed. What is
out of reach is named, and the tree in which it works is not used again.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_lazy_prereq PROC 'test -r /proc/self/environ && command -v setsid'
test_have_prereq PROC || skip_all 'missing PROC'

# writer <way> <file> writes on and on into a file, heeding no signal that can be
# ignored. start_all starts one in every way.
test_expect_success 'setup' '
	test_commit -C repo first &&
	cat >writer <<-\END &&
	trap "" HUP TERM INT
	exec 3>>"$2"
	echo $$ >>"$outside/pids"
	: >"$outside/up.$1"
	while :
	do
		echo on >&3
		sleep 0.05
	done
	END
	cat >start_all <<-\END &&
	export outside
	rm -f "$outside"/up.* "$outside/pids"
	here=$(pwd)
	sh "$outside/writer" plain held.plain &
	nohup sh "$outside/writer" nohup held.nohup >/dev/null 2>&1 </dev/null &
	setsid sh "$outside/writer" session held.session >/dev/null 2>&1 </dev/null &
	(setsid sh -c "sh \"\$outside/writer\" double held.double >/dev/null 2>&1 </dev/null &" &)
	(cd / && exec setsid sh "$outside/writer" holds "$here/held.holds" >/dev/null 2>&1 </dev/null) &
	(cd / && exec setsid sh "$outside/writer" elsewhere "$outside/written" >/dev/null 2>&1 </dev/null) &
	for way in plain nohup session double holds elsewhere
	do
		until test -e "$outside/up.$way"; do sleep 0.02; done
	done
	END
	cat >start_lost <<-\END &&
	rm -f "$outside/up.lost"
	(env -i PATH="$PATH" outside="$outside" setsid sh -c "sh \"\$outside/writer\" lost held.lost >/dev/null 2>&1 </dev/null & exit")
	until test -e "$outside/up.lost"; do sleep 0.02; done
	END
	cat >count_living <<-\END &&
	for pid in $(cat "$outside/pids" 2>/dev/null)
	do
		# One that has ended may wait for somebody to ask how.
		grep -q "^State:[[:space:]]*[^ZX[:space:]]" /proc/$pid/status 2>/dev/null && echo $pid >>"$outside/living"
	done
	true
	END
	flower_script "test -f done" <<-END
	- call: {tool: Bash, input: {command: "outside=\"$TRASH_DIRECTORY\"; . \"\$outside/count_living\"; . \"\$outside/first\""}}
	- call: {tool: Bash, input: {command: "outside=\"$TRASH_DIRECTORY\"; . \"\$outside/count_living\"; echo done >done"}}
	$(flower_report)
	END
'

# nobody_lives: of those that were started, none is there.
nobody_lives () (
	rm -f living && outside=$TRASH_DIRECTORY && . "$outside/count_living" && test_path_missing living
)

test_expect_success 'when the command returns, all are gone' '
	cp start_all first && rm -f living &&
	(cd repo && flower_play --name turn "do it" && test "$flower_code" = 0) &&
	test_line_count = 6 pids && nobody_lives &&
	test_path_missing living
'

# waits is start_all, and then the command stays until it may go on.
waits () {
	rm -f go living waits &&
	cat start_all - >first <<-\END
	: >"$outside/waits"
	while test ! -e "$outside/go"; do sleep 0.02; done
	END
}

test_expect_success 'when we are ended, all are gone' '
	waits &&
	(
		cd repo &&
		flower_background start --new --name ended --rehearse=../script.yaml --timeout 0 "do it" &&
		test_wait_for test -e ../waits && rm ../waits &&
		kill -TERM $flower_pid && flower_wait && test "$flower_code" = 143
	) &&
	test_line_count = 6 pids && nobody_lives &&
	: >go && (cd repo && git flower resume ended </dev/null >../out) &&
	test_path_missing living
'

test_expect_success 'when we are killed, they are gone before the worker works on' '
	waits &&
	(
		cd repo &&
		flower_background start --new --name killed --rehearse=../script.yaml --timeout 0 "do it" &&
		test_wait_for test -e ../waits && rm ../waits &&
		flower_kill
	) &&
	cp pids before && : >go &&
	(cd repo && git flower resume killed </dev/null >../out) &&
	test_line_count = 6 before && cat before >>pids && nobody_lives &&
	test_path_missing living
'

test_expect_success 'and gone as well when the tree is gone' '
	waits &&
	(
		cd repo &&
		flower_background start --new --name lost --rehearse=../script.yaml --timeout 0 "do it" &&
		test_wait_for test -e ../waits && rm ../waits &&
		flower_kill
	) &&
	rm -rf "$XDG_STATE_HOME"/git-flower/*/tree &&
	cp pids before && : >go &&
	(cd repo && git flower resume lost </dev/null >../out) &&
	cat before >>pids && nobody_lives &&
	test_path_missing living
'


test_expect_success 'what is out of reach is named, and its tree is not used again' '
	cp start_lost first && rm -f pids living &&
	test_when_finished "kill -9 \$(cat \"$TRASH_DIRECTORY/pids\")" &&
	(
		cd repo &&
		flower_play --new --name reach "do it" && test "$flower_code" = 0 &&
		git show flower/join/reach:done
	) &&
	grep "still used by process $(cat pids) (.sh.)" start.out &&
	ls "$XDG_STATE_HOME"/git-flower/*/aside/*/*/tree/held.lost &&
	echo "" >first &&
	(
		cd repo &&
		flower_play --new --name next "do it" && test "$flower_code" = 0 &&
		git ls-tree --name-only flower/join/next >../files
	) &&
	! grep held.lost files
'

test_expect_success 'a free tree with somebody in it is left alone' '
	: >sleepers &&
	for dir in "$XDG_STATE_HOME"/git-flower/*/tree/*/tree
	do
		(cd "$dir" && exec sleep 1000) >/dev/null 2>&1 &
		echo $! >>sleepers
	done &&
	test_when_finished "kill \$(cat \"$TRASH_DIRECTORY/sleepers\")" &&
	ls "$XDG_STATE_HOME"/git-flower/*/tree >before &&
	(cd repo && flower_play --new --name beside "do it" && test "$flower_code" = 0) &&
	ls "$XDG_STATE_HOME"/git-flower/*/tree >after &&
	test "$(wc -l <after)" -gt "$(wc -l <before)" &&
	for pid in $(cat sleepers)
	do
		kill -0 $pid || return 1
	done
'

test_done
