#!/bin/sh

test_description='Ctrl-C at a terminal: stops the coordinator, takes words and goes on; a signal ends the run then'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

# A terminal is made by the script of util-linux.
test_lazy_prereq TERMINAL '
	code=0
	script -q -e -f -c "test -t 0 && exit 7" /dev/null </dev/null >/dev/null 2>&1 || code=$?
	test "$code" = 7
'

# at_terminal <name> <script>: a run in the background, at a terminal whose keys are
# pressed with keys and whose output is in screen; see flower_background.
at_terminal () {
	name=$1
	rm -f "$TRASH_DIRECTORY/keys" "$TRASH_DIRECTORY/worker.pid" "$TRASH_DIRECTORY/child.pid" "$TRASH_DIRECTORY/go" &&
	mkfifo "$TRASH_DIRECTORY/keys" || return 1
	script -q -e -f -c "git-flower start --new --name $1 --rehearse=../$2 it" "$TRASH_DIRECTORY/screen" <>"$TRASH_DIRECTORY/keys" >"$TRASH_DIRECTORY/background.out" 2>"$TRASH_DIRECTORY/background.err" &
	flower_pid=$!
	test_when_finished "flower_kill"
}

# keys <text>: with the escapes of printf.
keys () {
	printf "$1" >"$TRASH_DIRECTORY/keys"
}

test_have_prereq TERMINAL || skip_all 'missing TERMINAL (script of util-linux)'

test_expect_success 'setup: a worker that waits, with a child in a session of its own' '
	test_commit -C repo first &&
	{
		printf -- "- call:\n    tool: Bash\n    input:\n      command: |\n"
		printf "        echo begun >begun\n"
		printf "        setsid sh -c \"echo \\\\\$\\\\\$ >\\\\\"%s/child.pid\\\\\"; exec sleep 300\" &\n" "$TRASH_DIRECTORY"
		printf "        until test -s \"%s/child.pid\"; do sleep 0.05; done\n" "$TRASH_DIRECTORY"
		printf "        echo \$\$ >\"%s/worker.pid\"\n" "$TRASH_DIRECTORY"
		printf "        while test ! -e \"%s/go\"; do sleep 0.05; done\n" "$TRASH_DIRECTORY"
		flower_report
	} | flower_script "test -f begun"
'

# event <pattern>: the run makes one that matches.
event () {
	test_wait_for sh -c "grep -q -s -e '$1' '.git/flower/run/$name/events'"
}

# interrupted: Ctrl-C has been heeded, and words are wanted.
interrupted () {
	event "\"kind\":\"ask\".*Interrupted; the workers go on"
}

test_expect_success 'once, while workers are waited for: the words are heard while they work' '
	(
		cd repo &&
		at_terminal once script.yaml &&
		test_wait_for test -s ../worker.pid &&
		keys "\003" &&
		interrupted &&
		kill -0 "$(cat ../worker.pid)" && kill -0 "$(cat ../child.pid)" &&
		keys "use the other one\n" &&
		event "\"kind\":\"amendment\".*use the other one" &&
		kill -0 "$(cat ../worker.pid)" &&
		: >../go &&
		flower_wait && test "$flower_code" = 0
	)
'
# coordinator <file> <<turns: script.yaml with other turns of the coordinator.
coordinator () {
	{
		sed "/- name: coordinate/,\$d" script.yaml &&
		printf "  - name: coordinate\n    who: {tools: [dispatch]}\n    turns:\n" &&
		sed "s/^/      /" &&
		sed -n "/- name: work/,\$p" script.yaml
	} >"$1"
}

test_expect_success 'once, while an answer comes in: it is asked again, with the words' '
	coordinator streams.yaml <<-\END &&
	- call: {tool: dispatch, input: {tasks: [{worker: coder, task: Do it.}]}}
	- when:
	    - if: {any: "rather quickly"}
	      say: Quickly.
	  say: I think about it for very long, one word after the other, one word after the other.
	  pace: 30m
	END
	(
		cd repo &&
		at_terminal streams streams.yaml &&
		: >../go &&
		event "\"kind\":\"tool_result\".*\"tool\":\"dispatch\"" &&
		keys "\003" &&
		interrupted &&
		keys "rather quickly\n" &&
		flower_wait && test "$flower_code" = 0 &&
		event "\"kind\":\"text\".*Quickly" &&
		test "$(flower_count end streams)" = 1
	)
'

test_expect_success 'once, while it waits before it asks again: it asks at once, with the words' '
	coordinator waits.yaml <<-\END &&
	- call: {tool: dispatch, input: {tasks: [{worker: coder, task: Do it.}]}}
	- fault: {error: 429, message: you have hit your usage limit, retry_after: 36000}
	  when:
	    - if: {any: "the limit is gone"}
	      say: It is gone.
	END
	(
		cd repo &&
		at_terminal waits waits.yaml &&
		: >../go &&
		event "\"kind\":\"retry\"" &&
		keys "\003" &&
		interrupted &&
		keys "the limit is gone\n" &&
		flower_wait && test "$flower_code" = 0 &&
		event "\"kind\":\"text\".*It is gone"
	)
'

test_expect_success 'once, while it waits for reports that it has not asked for' '
	coordinator late.yaml <<-\END &&
	- call: {tool: dispatch, input: {tasks: [{worker: coder, task: Do it.}]}}
	- say: I shall hear of it.
	- when:
	    - if: {any: "and this as well"}
	      say: This as well.
	- say: It is done.
	END
	(
		cd repo &&
		at_terminal late late.yaml &&
		test_wait_for test -s ../worker.pid &&
		git flower say --run late "one thing" &&
		event "\"kind\":\"text\".*I shall hear of it" &&
		keys "\003" &&
		interrupted &&
		keys "and this as well\n" &&
		event "\"kind\":\"text\".*This as well" &&
		kill -0 "$(cat ../worker.pid)" &&
		: >../go &&
		flower_wait && test "$flower_code" = 0
	)
'

# signal <signal>: to the process that drives the run.
signal () {
	kill "-$1" "$(head -n 1 ".git/flower/run/$name/lock")"
}

# ends <name> <command> <code>: the command ends the run once words are wanted.
ends () {
	(
		cd repo &&
		at_terminal "$1" script.yaml &&
		test_wait_for test -s ../worker.pid &&
		keys "\003" &&
		interrupted &&
		$2 &&
		flower_wait && test "$flower_code" = "$3"
	) &&
	grep "^hint: .*resume $1" screen &&
	test_wait_for test_process_gone "$(cat worker.pid)" && test_wait_for test_process_gone "$(cat child.pid)" &&
	: >go &&
	(
		cd repo &&
		git flower resume "$1" </dev/null >../out &&
		test "$(flower_count end "$1")" = 1 &&
		git show "flower/join/$1:begun" >../begun
	)
}

test_expect_success 'once, then SIGTERM' '
	ends term "signal TERM" 143
'

test_expect_success HANGUP 'once, then SIGHUP' '
	ends hup "signal HUP" 129
'

test_done
