#!/bin/sh

test_description='a session of the Claude Code CLI with a full context hands over

The window is small and the script says how full it is. The session itself writes
the handoff, in the CLI; a person may change it before another one reads it. With
--no-handoff the CLI compacts.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"
. "$TEST_DIRECTORY/lib-claude.sh"

cd "$TRASH_DIRECTORY" || exit 1

# handoff_script <context>: ../script.yaml, whose first coordinator has one made, fills
# its context so far and hands over when it is asked to; the next has two made, or
# three, as it is told. The worker waits for ../go where ../wait is.
handoff_script () {
	cat >"$TRASH_DIRECTORY/script.yaml" <<-END
	scenes:
	  - name: compact
	    what: {last: "summary of the conversation"}
	    turns: &compacts
	      - say: "<summary>One is there. Say that it is done.</summary>"
	      - say: "<summary>One is there. Say that it is done.</summary>"
	      - say: "<summary>One is there. Say that it is done.</summary>"
	      - say: "<summary>One is there. Say that it is done.</summary>"
	      - say: "<summary>One is there. Say that it is done.</summary>"
	  - name: clarify
	    who: {system: "(?m)^Role: clarifier\$"}
	    turns:
	      - say: |
	          ## Goal
	          Make files.

	          ## Acceptance criteria
	          - one is there

	          ## Boundaries
	          Nothing else.

	          ## Unknowns and assumptions
	          None.
	  - name: goal
	    who: {tools: [goal]}
	    turns:
	      - call: {tool: goal, input: {statement: It is there., checks: [{text: one is there, command: "test -f one"}]}}
	  - name: judge
	    who: {tools: [verdict]}
	    turns:
	      - call: {tool: verdict, input: {state: reached, reason: It is there., checks: [{check: 1, passed: true, evidence: the command}]}}
	  - name: work
	    who: {system: "(?m)^Role: worker\$"}
	    what: {first: "> Make (?P<what>[a-z]+)"}
	    turns:
	      - call: {tool: Bash, input: {command: "touch {{.cap.what}}; while test -e '$TRASH_DIRECTORY/wait' && ! test -e '$TRASH_DIRECTORY/go'; do sleep 0.05; done"}}
	$(flower_report | sed "s/^/      /")
	  - name: successor
	    who: {tools: [dispatch]}
	    what: {first: "(?m)^> Make (?P<what>[a-z]+) next"}
	    turns:
	      - call: {tool: dispatch, input: {tasks: [{worker: coder, task: "Make {{.cap.what}}."}]}}
	      - say: It is done.
	  - name: first
	    who: {tools: [dispatch]}
	    repeat: true
	    turns:
	      - call: {tool: dispatch, input: {tasks: [{worker: coder, task: Make one.}]}}
	        usage: {input: 2000}
	      - &looks
	        when:
	          - if: {last: "exactly these five sections"}
	            say: "## Doing now\\nOne is there.\\n## Decided\\nEmpty files will do.\\n## Next step\\nMake two next."
	          - if: {any: "One is there. Say that it is done"}
	            say: It is done.
	        call: {tool: Bash, input: {command: "git log --oneline -1"}}
	        usage: {input: $1}
	      - *looks
	      - *looks
	      - say: It is done.
	END
}

# touched <run>: the worker of that run is at work.
touched () {
	flower_events "$1" | grep -q -e "\"kind\":\"tool_call\".*touch"
}

# coordinators <run> prints the sessions of the coordinator, oldest first.
coordinators () {
	git log --reverse --format="%(trailers:key=Flower-Session,valueonly,separator=)" --grep "^session: .* by the coordinator\$" "flower/run/$1"
}

test_expect_success 'the mark is crossed in the CLI; the session itself hands over, another goes on' '
	test_commit -C repo base &&
	handoff_script 60000 &&
	cd repo &&
	flower_play --name full --window 100000 "make files" && cat ../start.out ../start.err && test "$flower_code" = 0 &&
	test "$(flower_count handoff full)" = 1 && test "$(flower_count report full)" = 2 &&
	git flower show handoff full >../handoff &&
	test_grep "Empty files will do" ../handoff && test_grep "Make two next" ../handoff && test_grep ! degraded ../handoff &&
	flower_events full | grep "\"kind\":\"handoff\"" | sed "s/.*\"state\":\"\([a-z]*\)\".*/\1/" >../actual &&
	printf "near\nwriting\ndone\n" >../expect && test_cmp ../expect ../actual &&
	git ls-tree --name-only flower/join/full >../tree && printf "base.t\none\ntwo\n" >../expect && test_cmp ../expect ../tree &&
	git flower fsck full && claude_clean
'

test_expect_success 'who wrote it is retired in the lineage, who took it up has another id' '
	cd repo &&
	coordinators full >../sessions && test_line_count = 2 ../sessions &&
	git log --format="%(trailers:key=Flower-Session,valueonly,separator=)" --grep "^handoff: " flower/run/full >../wrote &&
	head -n 1 ../sessions >../expect && test_cmp ../expect ../wrote &&
	git flower show lineage full >../lineage &&
	test_grep "\"session\": \"$(tail -n 1 ../sessions)\"" ../lineage &&
	tr -d "\n\t " <../lineage >../flat && test_grep "\"retired\":\[\"$(cat ../wrote)\"\]" ../flat
'

test_expect_success GO 'the successor begins with the handoff, and the writing turn is in the old conversation' '
	cd repo &&
	flower_heard full coordinator >../heard &&
	test_grep "> Make two next" ../heard && test_grep "exactly these five sections" ../heard &&
	test "$(grep -c "You take over unfinished work" ../heard)" = 1
'

test_expect_success GO 'asked for, and edited before the successor starts: that is what it reads' '
	handoff_script 3000 && : >wait && rm -f go &&
	cd repo &&
	flower_background start --new --name asked --rehearse=../script.yaml --timeout 0 "make files" &&
	test_wait_for touched asked &&
	git flower handoff --stop asked >../out &&
	: >../go && flower_wait && test "$flower_code" = 2 &&
	test_grep "^hint: .*edit handoff" ../background.err &&
	GIT_EDITOR="sed -i.bak s/Make.two/Make\ three/" git flower edit handoff asked &&
	git flower resume asked </dev/null >../out &&
	git ls-tree --name-only flower/join/asked >../tree && printf "base.t\none\nthree\n" >../expect && test_cmp ../expect ../tree &&
	flower_heard asked coordinator >../heard &&
	test_grep "> Make three next" ../heard && test_grep ! "Make two" ../heard &&
	test_must_fail code=1 git flower edit handoff asked &&
	git flower fsck asked && claude_clean
'

test_expect_success 'with --no-handoff the CLI compacts, in the same session, and a notice says so' '
	handoff_script 70000 && rm -f wait &&
	cd repo &&
	flower_play --new --name compacts --no-handoff --window 100000 "make files" && cat ../start.out ../start.err && test "$flower_code" = 0 &&
	test "$(flower_count handoff compacts)" = 0 &&
	coordinators compacts >../sessions && test_line_count = 1 ../sessions &&
	git log --format=%s --grep "^notice: .*compacted" flower/run/compacts >../notices && test_line_count -gt 0 ../notices &&
	git flower fsck compacts && claude_clean
'

test_done
