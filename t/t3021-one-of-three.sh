#!/bin/sh

test_description='a worker that hangs, floods or dies is its own problem: the others finish, and the coordinator is told'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup' '
	test_commit -C repo first &&
	cat >part <<-\END
	echo "$part" >"part.$part"
	until test ! -e "$events.trouble" || grep -q "\"kind\":\"retry\"" "$events"
	do
		:
	done
	END
'

# three <name> <<turns: a run with three workers. The first one takes the turns that are
# read, the others write a file. The states of the reports are in states, the first
# report in told.
three () {
	{
		printf '%s\n' "- call: {tool: Bash, input: {command: \"part={{.cap.part}} events='$TRASH_DIRECTORY/repo/.git/flower/run/$1/events'; . '$TRASH_DIRECTORY/part'\"}}"
		flower_report
	} | flower_script "test -f part.2 && test -f part.3" &&
	{
		sed -e "s/say: It is done.\$/say: 'Told: {{find \"coder-1: [a-z]+\" .last}}'/" \
			-e "s/tasks: \[{worker: coder, task: Do it.}\]/tasks: [{worker: coder, task: part 1}, {worker: coder, task: part 2}, {worker: coder, task: part 3}]/" \
			-e "/- name: work/,\$d" script.yaml &&
		printf '  - name: bad\n    who: {system: "(?s)Role: worker.*Worker: coder-1"}\n    turns:\n' && sed "s/^/      /" &&
		sed -n -e "/Role: worker/a\\    what: {first: \"part (?P<part>[1-4])\"}" -e "/- name: work/,\$p" script.yaml
	} >three.yaml &&
	(
		cd repo &&
		test_expect_code 0 git flower start --new --name "$1" --rehearse="$TRASH_DIRECTORY/three.yaml" --timeout 0 "do it" \
			</dev/null >../out 2>../err &&
		git log --reverse --format="%(trailers:key=Flower-State,valueonly)" --grep "^report:" "flower/run/$1" | grep . | tr "\n" " " >../states &&
		git show "flower/join/$1:part.2" "flower/join/$1:part.3" >/dev/null &&
		git log --format=%b --grep "^report: coder-1" "flower/run/$1" >../told &&
		grep "\"kind\":\"text\".*\"text\":\"Told: coder-1: $(cut -d" " -f1 ../states)" ".git/flower/run/$1/events" >/dev/null
	) || {
		cat out err
		return 1
	}
}

# fails <name> <fault> [<trouble>]: the first worker's requests all meet it. With the
# third argument the others are at work until it has begun, so that it is seen that the
# endpoint answers them.
fails () {
	if test -n "$3"
	then
		mkdir -p "repo/.git/flower/run/$1" && : >"repo/.git/flower/run/$1/events.trouble"
	fi &&
	three "$1" <<-END &&
	- call: {tool: Bash, input: {command: "echo half >half"}}
	- fault: {$2, times: always}
	  say: This will never be heard, whatever happens, however often it is asked.
	END
	test "$(cat states)" = "failed joined joined " &&
	grep "could not finish" told && grep "is commit" told &&
	git -C repo show "refs/flower/work/$1/coder-1:half"
}

test_expect_success 'its requests are never answered' '
	fails silent "stall: 0" trouble
'

test_expect_success 'its answers stop in the middle' '
	fails stalls "stall: 4" trouble
'

test_expect_success 'its connection drops' '
	fails drops "drop: 2" trouble
'

test_expect_success 'its endpoint is overloaded for ever' '
	fails over "error: 529" trouble
'

test_expect_success 'its requests are refused' '
	fails refused "error: 400"
'

test_expect_success 'its prompt is too long' '
	fails long "error: 400, message: \"prompt is too long: 210000 tokens > 200000 maximum\""
'

test_expect_success 'the model declines' '
	fails declines "refusal: true"
'

# ended <name> <report's state> <word> <command>: a command of the first worker, of which the
# model hears the word. It reports then.
ended () {
	{
		printf -- '- call:\n    tool: Bash\n    input:\n      timeout: 300\n      command: |\n'
		printf '%s\n' "$4" | sed 's/^/        /'
		printf -- '- when:\n    - if: {result: "%s"}\n' "$3"
		flower_report | sed 's/^- say/say/;s/^/      /'
	} | three "$1" &&
	test "$(cat states)" = "$2 joined joined "
}

test_expect_success 'a command that never ends and ignores SIGTERM' '
	ended deaf joined "ended after 300ms" "echo \$\$ >../deaf; trap \"\" TERM; echo x >x; while :; do :; done"
'

test_expect_success 'a command that leaves a child with its pipe' '
	ended pipe unchanged "^here\$" "(setsid sh -c \"echo \\\$\\\$ >\\\"$TRASH_DIRECTORY/child\\\"; exec sleep 300\" &); until test -s \"$TRASH_DIRECTORY/child\"; do :; done; echo here" &&
	test_wait_for test_process_gone "$(cat child)"
'

test_expect_success 'a command that stops itself' '
	ended stops unchanged "ended after 300ms" "kill -STOP \$\$"
'

# What we take at most is seen by the next command, whose parent we are.
test_lazy_prereq PROC 'grep VmHWM /proc/self/status'

test_expect_success PROC 'a command that prints gigabytes' '
	three flood <<-END &&
	- call: {tool: Bash, input: {command: "head -c 3000000000 /dev/zero"}}
	- call: {tool: Bash, input: {command: "grep VmHWM /proc/\$PPID/status >\\"$TRASH_DIRECTORY/peak\\""}}
	$(flower_report)
	END
	test "$(cat states)" = "unchanged joined joined " &&
	test "$(tr -dc 0-9 <peak)" -lt 200000
'

test_expect_success 'a report that is far too long, twice' '
	three report <<-\END &&
	- &report
	  say: |
	    ## Conclusion
	    {{printf "%030000d" 7}}

	    ## Evidence
	    - {{printf "%030000d" 7}}

	    ## Output
	    - none

	    ## Unverified
	    none
	- *report
	END
	test "$(cat states)" = "unchanged joined joined " &&
	test "$(wc -c <told)" -lt 10000 &&
	grep "breaks the form" told
'

test_expect_success 'thousands of tool calls in one answer' '
	{
		echo "- call:" &&
		awk "BEGIN { for (i = 0; i < 1000; i++) print \"    - {tool: Glob, input: {pattern: a\" i \"}}\" }" &&
		flower_report
	} | three calls &&
	test "$(cat states)" = "unchanged joined joined "
'

if test -f peak
then
	test_say "# $(tr -dc 0-9 <peak) kB at most, a command having printed 3 GB"
fi

test_done
