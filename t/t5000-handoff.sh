#!/bin/sh

test_description='a session with a full context hands over to a fresh one

The window is small and the script says how full it is, so that the run hands over
twice. Whatever happens meanwhile, the same history and the same result come out.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

# handoff_script <context> <context of the last> <turn>...: ../script.yaml, whose
# coordinators make one, two and three, a session each, and hand over when they are
# asked to. The turns say how, those of the first session and those of the second.
handoff_script () {
	cat >script.yaml <<-END
	models: {"*": {window: 100000}}
	scenes:
	  - name: clarify
	    who: {system: "(?m)^Role: clarifier\$"}
	    turns:
	      - say: |
	          ## Goal
	          Make three files.

	          ## Acceptance criteria
	          - three is there

	          ## Boundaries
	          Nothing else.

	          ## Unknowns and assumptions
	          None.
	  - name: goal
	    who: {tools: [goal]}
	    turns:
	      - call:
	          tool: goal
	          input:
	            statement: It is there.
	            checks: [{text: three is there, command: "test -f three"}]
	  - name: judge
	    who: {tools: [verdict]}
	    turns:
	      - call: {tool: verdict, input: {state: reached, reason: It is there., checks: [{check: 1, passed: true, evidence: the command}]}}
	  - name: work
	    who: {system: "(?m)^Role: worker\$"}
	    what: {first: "> Make (?P<what>[a-z]+)"}
	    turns:
	      - call: {tool: Bash, input: {command: "$4touch {{.cap.what}}"}}
	      - say: |
	          ## Conclusion
	          {{.cap.what}} is there.

	          ## Evidence
	          - ls

	          ## Output
	          - {{.cap.what}}

	          ## Unverified
	          None.
	  - name: third
	    who: {tools: [dispatch]}
	    what: {first: "(?m)^> Make three next"}
	    turns:
	      - call: {tool: dispatch, input: {tasks: [{worker: coder, task: Make three.}]}}
	        usage: {input: 3000}
	      - say: It is done.
	  - name: after a handoff that was not written
	    who: {tools: [dispatch]}
	    what: {first: "degraded: the handoff was not written"}
	    turns:
	      - call: {tool: dispatch, input: {tasks: [{worker: coder, task: Make three.}]}}
	        usage: {input: $2}
	      - when:
	          - if: {last: "exactly these five sections|all five sections"}
	            say: "$3"
	        say: It is done.
	      - say: "$3"
	  - name: second
	    who: {tools: [dispatch]}
	    what: {first: "(?m)^> Make two next"}
	    turns:
	      - call: {tool: dispatch, input: {tasks: [{worker: coder, task: Make two.}]}}
	        usage: {input: $1}
	      - &again
	        when:
	          - if: {last: "exactly these five sections"}
	            delay: ${delay:-0s}
	            say: "## Doing now\\nOne and two are there.\\n## Decided\\nEmpty files will do.\\n## Next step\\nMake three next."
	        call: {tool: Bash, input: {command: "git log --oneline -1"}}
	        usage: {input: $1}
	      - *again
	      - *again
	      - *again
	  - name: first
	    who: {tools: [dispatch]}
	    turns:
	      - call: {tool: dispatch, input: {tasks: [{worker: coder, task: Make one.}]}}
	        usage: {input: $1}
	      - &once
	        when:
	          - if: {last: "exactly these five sections|all five sections"}
	            delay: ${delay:-0s}
	            say: "$3"
	        call: {tool: Bash, input: {command: "git log --oneline -1"}}
	        usage: {input: $1}
	      - *once
	      - *once
	      - *once
	END
}

two="## Doing now\\nOne is there.\\n## Dead ends\\nNone so far.\\n## Next step\\nMake two next."

plays () {
	(cd repo && flower_play --new "$@" && cp ../start.err ../err && return "$flower_code")
}

# reached <run>: the same history and result as those of the run that nothing befell.
reached () {
	(cd repo && flower_canonical "$1" | sed "s/$1/whole/g" >../actual && git ls-tree --name-only flower/join/"$1" >../tree && git flower fsck "$1") &&
	test_cmp expect actual && test_cmp expect.tree tree
}

test_expect_success 'a run that hands over twice' '
	test_commit -C repo base &&
	handoff_script 60000 3000 "$two" &&
	plays --name whole "make files" &&
	cd repo &&
	test "$(flower_count handoff whole)" = 2 && test "$(flower_count report whole)" = 3 &&
	flower_canonical whole >../expect &&
	git ls-tree --name-only flower/join/whole >../expect.tree &&
	printf "base.t\none\nthree\ntwo\n" >../want && test_cmp ../want ../expect.tree
'

test_expect_success 'the old sessions are retired, the documents can be read' '
	cd repo &&
	git flower show lineage whole >../lineage && test "$(grep -c "\"retired\"" ../lineage)" = 1 &&
	git flower show handoff whole >../handoff &&
	test_grep "Make three next" ../handoff && test_grep "Empty files will do" ../handoff &&
	git log --format="%(trailers:key=Flower-State,valueonly,separator=)" --grep "^handoff: " flower/run/whole >../states &&
	test_grep ! degraded ../states
'

test_expect_success 'the context is told to be nearly full, the handoff to be written and to be there' '
	cd repo &&
	flower_events whole | grep "\"kind\":\"handoff\"" | sed "s/.*\"state\":\"\([a-z]*\)\".*/\1/" >../actual &&
	printf "near\nwriting\ndone\nnear\nwriting\ndone\n" >../expect.phases &&
	test_cmp ../expect.phases ../actual
'

# saw <run> <pattern>: an event of that run matches.
saw () {
	flower_events "$1" | grep -q -e "$2"
}

# killed <run> <event>: the run is killed at that event and goes on.
killed () {
	delay=2s handoff_script 60000 3000 "$two" &&
	(
		cd repo &&
		flower_background start --new --name "$1" --rehearse=../script.yaml --timeout 0 "make files" &&
		test_wait_for saw "$1" "$2" &&
		flower_kill && test "$flower_lived" = 0 &&
		git flower resume "$1" </dev/null >../out 2>&1 || { cat ../out; return 1; }
	) &&
	reached "$1"
}

test_expect_success 'killed before the writing turn' '
	killed before "hands over.*\"record\":\"notice\""
'
test_expect_success 'killed in the writing turn' '
	killed during "\"kind\":\"handoff\".*\"state\":\"writing\""
'
test_expect_success 'killed when the handoff is there' '
	killed after "\"record\":\"handoff\""
'
test_expect_success 'killed when the successor is at work' '
	killed successor "\"worker\":\"coder-2\""
'

test_expect_success 'two messages that are no handoff: one is made from the records' '
	handoff_script 60000 3000 "No idea." &&
	plays --name none "make files" &&
	cd repo &&
	test "$(flower_count handoff none)" = 1 &&
	git flower show handoff none >../handoff && test_grep "degraded: the handoff was not written" ../handoff &&
	git flower fsck none
'

test_expect_success 'two such handoffs in a row are a save point that names window and room' '
	handoff_script 60000 60000 "No idea." &&
	test_expect_code 3 plays --name twice "make files" &&
	test_grep "flower.headroom" err && test_grep "^hint: .*--window" err &&
	cd repo && test "$(flower_count handoff twice)" = 2 && git flower fsck twice
'

test_expect_success 'a threshold below what a session begins with ends after eight generations' '
	handoff_script 60000 3000 "## Doing now\\nOn it.\\n## Next step\\nGo on." &&
	test_expect_code 3 plays --name spins "make files" &&
	test_grep "8 sessions" err && test_grep "no-handoff" err &&
	cd repo && test "$(flower_count handoff spins)" = 8 &&
	test_expect_code 3 git flower resume spins </dev/null 2>../err >../out &&
	test "$(flower_count handoff spins)" = 8 && test_grep "8 sessions" ../err
'

test_expect_success 'the window is what --window says' '
	handoff_script 60000 3000 "$two" &&
	sed "s/window: 100000/window: 1000000/" script.yaml >wide.yaml && mv wide.yaml script.yaml &&
	plays --name given --window 100000 "make files" &&
	reached given
'

test_expect_success 'on demand, to be edited before the successor reads it' '
	rm -f go &&
	handoff_script 3000 3000 "$two" "while test ! -e $(pwd | sed "s/ /?/g")/go; do sleep 0.05; done; " &&
	(
		cd repo &&
		flower_background start --new --name asked --rehearse=../script.yaml --timeout 0 "make files" &&
		test_wait_for saw asked "\"kind\":\"tool_call\".*touch" &&
		git flower handoff --stop asked >../out && test_grep "drives it" ../out &&
		test_must_fail code=1 git flower handoff asked &&
		: >../go &&
		flower_wait && test "$flower_code" = 2 &&
		test_grep "^hint: .*edit handoff" ../background.err &&
		GIT_EDITOR="sed -i.bak s/two/three/" git flower edit handoff asked &&
		git flower resume asked </dev/null >../out &&
		test "$(flower_count report asked)" = 2 &&
		git ls-tree --name-only flower/join/asked >../tree && test_grep ! two ../tree &&
		test_must_fail code=1 git flower edit handoff asked &&
		git flower fsck asked
	)
'

# The coordinator is called back by words, and tells its worker more.
telling_script () {
	flower_script "test -f begun" <<-END &&
	- call: {tool: Bash, input: {command: "touch begun; while test ! -e \"$TRASH_DIRECTORY/go\"; do sleep 0.05; done"}}
	  usage: {input: 60000}
	- when:
	    - if: {last: "exactly these five sections"}
	      say: "## Doing now\\nOn it.\\n## Next step\\nReport."
	  call: {tool: Bash, input: {command: "ls"}}
	  usage: {input: 60000}
	END
	cat >more <<-END &&
	models: {"*": {window: 100000}}
	scenes:
	  - name: tells
	    who: {tools: [dispatch]}
	    what: {any: "The person has said something"}
	    turns:
	      - say: It dispatches.
	      - call: {tool: tell, input: {worker: coder-1, words: Keep the old flag.}}
	      - call: {tool: wait, input: {}}
	      - say: It is done.
	  - name: successor
	    who: {system: "(?m)^Role: worker\$"}
	    what: {any: ["You take over unfinished work", '# Said by the coordinator\\s+> Keep the old flag']}
	    turns:
	$(flower_report | sed "s/The work is done/The old flag is kept/; s/^/      /")
	END
	sed 1d script.yaml >rest && cat more rest >script.yaml
}

test_expect_success 'what the coordinator tells a worker is a record, and its successor reads it' '
	rm -f go && telling_script &&
	cd repo &&
	flower_background start --new --name tells --rehearse=../script.yaml --timeout 0 "do it" &&
	test_wait_for saw tells "\"kind\":\"tool_call\".*begun" &&
	git flower say --run tells "be quick" >/dev/null &&
	test_wait_for saw tells "\"kind\":\"tool_result\".*\"tool\":\"tell\"" &&
	git log -1 --format="%b" --grep "^notice: coder-1 is told: Keep the old flag" flower/run/tells >../told &&
	test_grep "^    Keep the old flag" ../told && test_grep "^Flower-Worker: coder-1" ../told &&
	: >../go && flower_wait && cat ../background.err && test "$flower_code" = 0 &&
	test "$(flower_count handoff tells)" = 1 &&
	git flower show report tells >../report && test_grep "The old flag is kept" ../report &&
	git flower fsck tells
'

test_expect_success 'what cannot be' '
	cd repo &&
	test_must_fail code=1 git flower handoff whole &&
	test_must_fail code=128 git flower start --new --rehearse --no-handoff "x" 2>../err &&
	test_grep "compacts" ../err && test_grep "^hint: .*--harness claude" ../err
'

test_done
