#!/bin/sh

test_description='a run that is killed at any moment ends as if it had not been

The demo is run once without interruption. Then it is killed with SIGKILL again
and again, each time some events later, and resumed: the canonical history and
the joined tree must be the same, and no finished worker may run twice.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

# How many kills, at events that the seed picks: as many as there are, or a slice.
kills=${TEST_LONG:+1000000}
kills=${kills:-7}
twice=${TEST_LONG:+20}
twice=${twice:-1}

demo_run=add-json-option
events_of () {
	cat "$1/.git/flower/run/$demo_run/events" 2>/dev/null
}

test_expect_success 'an uninterrupted run' '
	git flower demo --timeout 0 whole >whole.out </dev/null &&
	(
		cd whole &&
		flower_canonical $demo_run >../expect.history &&
		git rev-parse flower/join/$demo_run^{tree} >../expect.tree
	) &&
	test -s expect.history &&
	events_of whole | wc -l >total
'

# killed_at <n> kills a demo after n events and resumes it until it is through.
killed_at () {
	git-flower demo --timeout 0 "at$1" >"at$1.out" 2>&1 </dev/null &
	pid=$!
	until test "$(events_of "at$1" | wc -l)" -ge "$1" || ! kill -0 $pid 2>/dev/null
	do
		:
	done
	kill -9 $pid 2>/dev/null
	code=0
	wait $pid 2>/dev/null || code=$?
	test $code = 137 && live=$((live + 1))
	git flower demo --timeout 0 "at$1" >"at$1.out" 2>&1 </dev/null || {
		cat "at$1.out"
		return 1
	}
}

same_end () {
	(
		cd "at$1" &&
		flower_canonical $demo_run >../actual.history &&
		git rev-parse flower/join/$demo_run^{tree} >../actual.tree
	) &&
	test_cmp expect.history actual.history &&
	test_cmp expect.tree actual.tree
}

# Every worker ends once: two reports, and no event of a worker after its report.
worked_once () {
	test "$(events_of "at$1" | grep -c "\"record\":\"report\"")" -le 2
}

test_expect_success 'killed every few events, it comes to the same end' '
	live=0 tried=0 &&
	test_pick $kills $(($(cat total) - 1)) >events &&
	for n in $(cat events)
	do
		killed_at $n && same_end $n && worked_once $n || {
			echo "killed after $n events"
			return 1
		}
		tried=$((tried + 1))
		rm -rf "at$n"
	done &&
	echo "$tried kills, $live of them hit a live run" >kills &&
	test $live -ge $((tried * 12 / 19))
'

test_expect_success 'killed twice in a row' '
	test_pick $twice $(($(cat total) - 13)) 1 >events &&
	for first in $(cat events)
	do
		killed_twice="twice$first" &&
		for n in $first $((first + 12))
		do
			git-flower demo --timeout 0 $killed_twice >twice.out 2>&1 </dev/null &
			pid=$!
			until test "$(events_of $killed_twice | wc -l)" -ge $n || ! kill -0 $pid 2>/dev/null
			do
				:
			done &&
			{ kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null; true; }
		done &&
		git flower demo --timeout 0 $killed_twice >twice.out 2>&1 </dev/null &&
		rm -rf at0 && mv $killed_twice at0 &&
		same_end 0 || return 1
	done
'

test -f kills && test_say "# $(cat kills)"

test_done
