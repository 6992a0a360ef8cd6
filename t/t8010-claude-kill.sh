#!/bin/sh

test_description='runs in the Claude Code CLI, of which anybody is killed at any moment

A run is killed with SIGKILL at events spread over an uninterrupted one: git flower
itself, or the CLI of the session that is at work. The first is resumed, the second
goes on by itself. Every time the canonical history and the joined tree are those of
the uninterrupted run, and nothing is left running.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"
. "$TEST_DIRECTORY/lib-claude.sh"

test_has PROC || skip_all 'missing PROC: a CLI is found by its environment'

cd "$TRASH_DIRECTORY" || exit 1

# How many kills of each kind; 20 is the whole of it.
kills=${TEST_CLAUDE_KILLS:-2}
test -z "$TEST_LONG" || kills=20

begin () {
	git-flower start --name run --rehearse --timeout 0 "write something, anything"
}

# ends_in <name>: the history and the tree in which a run has ended.
ends_in () {
	flower_canonical run >"$TRASH_DIRECTORY/$1.history" &&
	git rev-parse flower/join/run^{tree} >"$TRASH_DIRECTORY/$1.tree"
}

test_expect_success 'an uninterrupted run' '
	test_commit -C repo first &&
	cp -R repo whole &&
	(
		cd whole &&
		begin >../whole.out </dev/null &&
		ends_in expect &&
		wc -l <.git/flower/run/run/events >../total
	) &&
	test "$(cat total)" -gt 40
'

happened () {
	cat "$TRASH_DIRECTORY/at/.git/flower/run/run/events" 2>/dev/null | wc -l
}

# killed <us|cli> <n>: a run in which something is killed after so many events,
# brought to its end.
killed () {
	rm -rf at && cp -R repo at || return 1
	(cd at && exec setsid git-flower start --name run --rehearse --timeout 0 "write something, anything") >at.out 2>&1 </dev/null &
	pid=$!
	until test "$(happened)" -ge "$2" || test_process_gone $pid
	do
		:
	done
	if test "$1" = us
	then
		kill -9 $pid && echo us >>hits
	else
		victim=$(claude_processes | head -n 1)
		test -z "$victim" || { kill -9 "$victim" && echo cli >>hits; }
	fi
	code=0
	wait $pid 2>/dev/null || code=$?
	test_wait_for claude_gone || { claude_left; return 1; }
	(
		cd at &&
		if test "$1" = us
		then
			if git rev-parse -q --verify refs/flower/run/run >/dev/null
			then
				git flower resume run --timeout 0 >../resumed.out 2>&1 </dev/null
			else
				begin >../resumed.out 2>&1 </dev/null
			fi
		else
			test "$code" = 0 || { cat ../at.out; exit 1; }
		fi &&
		ends_in actual
	) || { echo "after $1 at event $2:"; cat resumed.out; return 1; }
	test_cmp expect.history actual.history && test_cmp expect.tree actual.tree || { echo "after $1 at event $2"; return 1; }
}

for what in us cli
do
	test_expect_success "killed: $what, $kills times" '
		rm -f hits && : >hits &&
		number=0 &&
		while test $number -lt $kills
		do
			number=$((number + 1)) &&
			killed $what $((number * $(cat total) / (kills + 1))) || return 1
		done &&
		echo "# $(wc -l <hits) of $kills kills hit a living process" &&
		test "$(wc -l <hits)" -ge $((kills / 2)) &&
		claude_clean
	'
done

test_done
