#!/bin/sh

test_description='four workers, one conflict and one worker that fails, killed at any moment

A run with four workers at once is killed with SIGKILL at events spread over an
uninterrupted run, in turn: us alone, a command of a worker alone as it begins,
everything at once. What is left is resumed. Every time the canonical history and the joined
tree are the same, and no worker has made more than one tool call again.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

# How many kills; the seed picks when, in each part of the run.
kills=6
test -z "$TEST_LONG" || kills=40

# Each command of a worker writes itself down, outside of the trees, before it
# does anything. The one that is to be killed finds a file, takes it and waits.
test_expect_success 'setup: part 2 and 3 conflict, part 4 is refused by the endpoint' '
	test_commit -C repo first &&
	mkfifo never &&
	cat >command <<-\END &&
	echo "$part $step $$" >>"$outside/log"
	if mv "$outside/hold.$part.$step" "$outside/held" 2>/dev/null
	then
		echo $$ >"$outside/held"
		read -r forever <"$outside/never"
	fi
	case $step in
	1) echo "part $part" >"part.$part" ;;
	2) case $part in 2|3) echo "$part" >first.t ;; esac ;;
	esac
	echo "done-$step"
	END
	flower_report | sed -n "s/^- say/say/;s/^/      /p" >report &&
	cat >turns <<-END &&
	- when:
	    - if: {any: "done-2"}
	$(cat report)
	    - if: {any: ["part 4", "done-1"]}
	      fault: {error: 400, message: "this one cannot be worked on", times: always}
	      say: never
	    - if: {any: "done-1"}
	      call: {tool: Bash, input: {command: "part={{.cap.part}} step=2 outside=\"$TRASH_DIRECTORY\"; . \"\$outside/command\""}}
	    - if: {any: "."}
	      call: {tool: Bash, input: {command: "part={{.cap.part}} step=1 outside=\"$TRASH_DIRECTORY\"; . \"\$outside/command\""}}
	END
	flower_script "test -f part.1 && test -f part.2" <turns &&
	sed -e "s/tasks: \[{worker: coder, task: Do it.}\]/tasks: [{worker: coder, task: part 1}, {worker: coder, task: part 2}, {worker: coder, task: part 3}, {worker: coder, task: part 4}]/" \
		-e "/Role: worker/a\\    what: {first: \"part (?P<part>[1-4])\"}\\n    repeat: true" script.yaml >four.yaml
'

begin () {
	git-flower start --name run --rehearse="$TRASH_DIRECTORY/four.yaml" --timeout 0 "four parts"
}

# ends_in <name>: the history and the tree in which a run has ended.
ends_in () {
	flower_canonical run >"$TRASH_DIRECTORY/$1.history" &&
	git rev-parse flower/join/run^{tree} >"$TRASH_DIRECTORY/$1.tree"
}

test_expect_success 'an uninterrupted run' '
	cp -R repo whole &&
	(
		cd whole &&
		begin >../whole.out </dev/null &&
		ends_in expect &&
		wc -l <.git/flower/run/run/events >../total &&
		git log --reverse --format="%(trailers:key=Flower-State,valueonly)" --grep "^report:" flower/run/run >../states
	) &&
	grep . states >actual && printf "joined\njoined\nconflict\nfailed\n" >expect && test_cmp expect actual &&
	sort log | cut -d" " -f1-2 >actual && printf "%s\n" "1 1" "1 2" "2 1" "2 2" "3 1" "3 2" "4 1" >expect && test_cmp expect actual
'

# happened: how many events there are.
happened () {
	cat "$TRASH_DIRECTORY/at/.git/flower/run/run/events" 2>/dev/null | wc -l
}

# alive <pid>...: those that are.
alive () {
	for alive_pid
	do
		kill -0 "$alive_pid" 2>/dev/null && printf '%s ' "$alive_pid"
	done
}

# kill_us and kill_all: with the commands of the workers or without.
kill_us () {
	kill -9 $pid
}
kill_all () {
	kill -9 -$pid $(alive $(cut -d' ' -f3 log))
}

# until_event <n>: that many have happened, or the run is over.
until_event () {
	until test "$(happened)" -ge "$1" || test_process_gone $pid
	do
		:
	done
}

# until_command: the command that is to be killed waits for it, or the run is over.
until_command () {
	until test -s held || test_process_gone $pid
	do
		:
	done
}
kill_command () {
	kill -9 $(cat held)
}

# killed <what> <when>: a run in which something is killed, brought to its end. When:
# after so many events, or for a command <part>.<step>.
killed () {
	rm -rf at log hold.* held && : >log && cp -R repo at || return 1
	test "$1" != command || : >"hold.$2"
	(cd at && exec setsid git-flower start --name run --rehearse="$TRASH_DIRECTORY/four.yaml" --timeout 0 "four parts") >at.out 2>&1 </dev/null &
	pid=$!
	case $1 in
	command) until_command ;;
	*) until_event "$2" ;;
	esac
	code=0 want=137
	test "$1" != command || want=0
	"kill_$1" 2>/dev/null || want=none
	wait $pid 2>/dev/null || code=$?
	test $code != $want || echo "$1" >>hits
	(
		cd at &&
		if test "$1" = command
		then
			test $code = 0 && grep -q "exit code 137" .git/flower/run/run/events
		elif git rev-parse -q --verify refs/flower/run/run >/dev/null
		then
			git flower resume run >../at.out 2>&1 </dev/null
		else
			begin >../at.out 2>&1 </dev/null
		fi &&
		ends_in actual
	) &&
	test_cmp expect.history actual.history &&
	test_cmp expect.tree actual.tree
}

# again: how many calls each worker made more than once, a line each.
again () {
	cut -d' ' -f1-2 log | sort | uniq -c | awk '$1 > 1 { n[$2] += $1 - 1 } END { for (part in n) print part, n[part] }'
}

test_expect_success 'killed at events spread over it, the end is the same' '
	: >hits && : >repeated && n=0 total=$(cat total) &&
	test_pick $kills $((total - 2)) >events && test_pick 1 7 >first &&
	set -- 1.1 1.2 2.1 2.2 3.1 3.2 4.1 &&
	for at in $(seq 2 "$(cat first)"); do at=$1 && shift && set -- "$@" $at; done &&
	while test $n -lt $kills
	do
		case $((n % 3)) in
		0) what=us at=$(sed -n $((n + 1))p events) ;;
		1) what=command at=$1 && shift && set -- "$@" $at ;;
		2) what=all at=$(sed -n $((n + 1))p events) ;;
		esac &&
		killed $what $at && again >now && ! grep -v " 1\$" now || {
			echo "killed $what at $at of $total events"
			cat now
			tail -5 at.out
			return 1
		}
		sed "s/^/$what /" now >>repeated
		n=$((n + 1))
	done &&
	test "$(wc -l <hits)" -ge $((kills * 38 / 40))
'

test_expect_success 'a command that is killed is made again by its worker, and nobody else has to' '
	test "$(grep -c "^command" repeated)" = "$(grep -c "^command" hits)"
'

if test -f repeated
then
	test_say "# $kills kills, $(wc -l <hits) of them hit a live run"
	for what in us command all
	do
		test_say "# $what: $(grep -c "^$what" hits) hits, $(grep -c "^$what" repeated) tool calls made again, none of a worker more than one"
	done
fi

test_done
