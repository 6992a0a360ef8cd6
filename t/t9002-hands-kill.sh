#!/bin/sh

test_description='four workers, one conflict and one worker that fails, killed at any moment

A run with four workers at once is killed with SIGKILL at events spread over an
uninterrupted run (us alone, all of it at once) and resumed:
every time the same canonical history and the same joined tree.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

# How many kills; 40 is the whole of it.
kills=${TEST_HANDS_KILLS:-8}
test -z "$TEST_LONG" || kills=40

test_expect_success 'setup: part 2 and 3 conflict, part 4 is refused by the endpoint' '
	test_commit -C repo first &&
	cat >turns <<-END &&
	- call: {tool: Bash, input: {command: "echo part {{.cap.part}} >part.{{.cap.part}}; sleep 0.02"}}
	- when:
	    - if: {any: "part [23]"}
	      call: {tool: Bash, input: {command: "echo {{.cap.part}} >first.t"}}
	    - if: {any: "part 4"}
	      fault: {error: 400, message: "this one cannot be worked on", times: always}
	      say: never
	    - if: {any: "."}
	      call: {tool: Bash, input: {command: "ls"}}
	$(flower_report)
	END
	flower_script "test -f part.1 && test -f part.2" <turns &&
	sed -e "s/tasks: \[{worker: coder, task: Do it.}\]/tasks: [{worker: coder, task: part 1}, {worker: coder, task: part 2}, {worker: coder, task: part 3}, {worker: coder, task: part 4}]/" \
		-e "/Role: worker/a\\    what: {first: \"part (?P<part>[1-4])\"}" script.yaml >four.yaml
'

begin () {
	git-flower start --name "$1" --rehearse="$TRASH_DIRECTORY/four.yaml" --timeout 0 "four parts"
}

test_expect_success 'an uninterrupted run' '
	cp -R repo whole &&
	(
		cd whole &&
		begin run >../whole.out </dev/null &&
		flower_canonical run >../expect.history &&
		git rev-parse flower/join/run^{tree} >../expect.tree &&
		git log --reverse --format="%(trailers:key=Flower-State,valueonly)" --grep "^report:" flower/run/run >../states
	) &&
	grep . states >actual && printf "joined\njoined\nconflict\nfailed\n" >expect && test_cmp expect actual &&
	wc -l <whole/.git/flower/run/run/events >total
'

# killed_at <n> <what>: what is us, or all with the workers' commands.
killed_at () {
	rm -rf at && cp -R repo at &&
	(
		cd at &&
		{ setsid git-flower start --name run --rehearse="$TRASH_DIRECTORY/four.yaml" --timeout 0 "four parts" >../at.out 2>&1 </dev/null & echo $! >../pid; }
		pid=$(cat ../pid)
		until test "$(wc -l <.git/flower/run/run/events 2>/dev/null || echo 0)" -ge "$1" || ! kill -0 $pid 2>/dev/null
		do
			:
		done
		case "$2" in
		all) kill -9 -$pid ;;
		*) kill -9 $pid ;;
		esac 2>/dev/null && echo hit >>../hits
		wait $pid 2>/dev/null
		git rev-parse -q --verify refs/flower/run/run >/dev/null || begin run >../at.out 2>&1 </dev/null
		git flower resume run >../at.out 2>&1 </dev/null
		flower_canonical run >../actual.history &&
		git rev-parse flower/join/run^{tree} >../actual.tree
	) &&
	test_cmp expect.history actual.history &&
	test_cmp expect.tree actual.tree
}

test_expect_success 'killed at events spread over it, the end is the same' '
	: >hits && n=0 &&
	while test $n -lt $kills
	do
		at=$((1 + n * ($(cat total) - 2) / kills)) &&
		case $((n % 2)) in 0) what=us ;; 1) what=all ;; esac &&
		killed_at $at $what || {
			echo "killed $what after $at events"
			tail -5 at.out
			return 1
		}
		n=$((n + 1))
	done &&
	test "$(wc -l <hits)" -ge $((kills * 38 / 40))
'

test -f hits && test_say "# $kills kills, $(wc -l <hits) of them hit a live run"

test_done
