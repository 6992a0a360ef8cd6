#!/bin/sh

test_description='ten runs in one repository at once

Ten processes, each with a run of its own; two at two runs; two that want the same
one. Ids and refs are distinct, nobody loses a record, nobody fails on a lock.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

numbers='1 2 3 4 5 6 7 8 9 10'

test_expect_success 'setup' '
	test_commit -C repo first &&
	flower_script "test -f done" <<-END
	- call: {tool: Bash, input: {command: "echo done >done"}}
	$(flower_report)
	END
'

# all_at_once <command>... runs it ten times, with the number in place of %, and
# leaves the exit codes in codes.
all_at_once () {
	pids= && rm -f ../codes &&
	for n in $numbers
	do
		"$1" "$n" >../out.$n 2>../err.$n </dev/null &
		pids="$pids $!"
	done
	for pid in $pids
	do
		code=0
		wait $pid || code=$?
		echo $code >>../codes
	done
}

# ten_zeros: all ended well.
ten_zeros () {
	for n in $numbers; do echo 0; done >../expect && test_cmp ../expect ../codes || {
		cat ../err.*
		return 1
	}
}

named () { git-flower start --new --name "run-$1" --rehearse=../script.yaml --timeout 0 "do $1"; }
unnamed () { git-flower start --new --rehearse=../script.yaml --timeout 0 "the same words"; }

whole () {
	for name in $(flower_runs)
	do
		flower_canonical "$name" | sed "s/$name/NAME/g" >../canonical.$name &&
		test "$(flower_count end "$name")" = 1 && test "$(flower_count report "$name")" = 1 &&
		test "$(git show "flower/join/$name:done")" = done || return 1
	done
}

distinct () {
	for name in $(flower_runs)
	do
		git log -1 --format="%(trailers:key=Flower-Run,valueonly)" "refs/flower/run/$name"
	done | grep . >../ids &&
	sort -u ../ids >../unique && test_line_count = "$1" ../unique && test_line_count = "$1" ../ids
}

test_expect_success 'ten runs with names of their own' '
	cd repo &&
	all_at_once named && ten_zeros && whole && distinct 10 &&
	cat ../err.* >../errors && ! grep -i -e "locked" -e "busy" -e "panic" ../errors
'

test_expect_success 'ten that would have the same name' '
	cd repo &&
	all_at_once unnamed && ten_zeros && whole && distinct 20 &&
	flower_runs | grep same-words >../same && test_line_count = 10 ../same
'

# at_work <n>: so many workers wait.
at_work () { test_wait_for works "$1"; }
works () { test "$(ls "$TRASH_DIRECTORY" | grep -c "^at-work")" -ge "$1"; }

# One worker for each run waits, and nobody gives way to another.
waiting () {
	flower_script "test -f done" <<-END
	- call: {tool: Bash, input: {command: ": >\"$TRASH_DIRECTORY/at-work.\$(basename \"\$(dirname \"\$(pwd)\")\")\"; while test ! -e \"$TRASH_DIRECTORY/go\"; do sleep 0.02; done; echo done >done"}}
	$(flower_report)
	END
}

test_expect_success 'two that want the same run: the second is told who has it' '
	waiting && cd repo &&
	flower_background start --new --name held --rehearse=../script.yaml --timeout 0 "do it" &&
	at_work 1 &&
	tip=$(git rev-parse flower/run/held) &&
	test_must_fail code=128 git flower resume held </dev/null >../out 2>../err &&
	grep "driven by process $flower_pid" ../err && grep "^hint: " ../err &&
	test "$tip" = "$(git rev-parse flower/run/held)" &&
	: >../go && flower_wait && test "$flower_code" = 0
'

test_expect_success 'ten that resume the same run: one does, the others are told' '
	rm -f go at-work.* && cd repo &&
	flower_background start --new --name raced --rehearse=../script.yaml --timeout 0 "do it" &&
	at_work 1 && flower_kill &&
	resumed () { git-flower resume raced; } &&
	: >../go &&
	all_at_once resumed &&
	grep -x 0 ../codes && ! grep -v -x -e 0 -e 128 ../codes &&
	test "$(flower_count end raced)" = 1 && test "$(flower_count report raced)" = 1
'

test_expect_success 'ten killed at once, and resumed at once' '
	rm -f go at-work.* && cd repo &&
	slow () { exec git-flower start --new --name "slow-$1" --rehearse=../script.yaml --timeout 0 "do $1"; } &&
	pids= &&
	for n in $numbers
	do
		slow $n >../out.$n 2>../err.$n </dev/null &
		pids="$pids $!"
	done &&
	at_work 10 &&
	kill -9 $pids && for pid in $pids; do wait $pid || :; done &&
	: >../go &&
	again () { git-flower resume "slow-$1"; } &&
	all_at_once again && ten_zeros &&
	whole && distinct 32
'

test_done
