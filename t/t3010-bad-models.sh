#!/bin/sh

test_description='models and endpoints that misbehave: a recorded end or a save point, never a lost run'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup' '
	test_commit -C repo first &&
	flower_report >report &&
	flower_script true <report
'

# with <scene's name> <<turns: the script with the turns of one scene replaced.
with () {
	sed 's/^/      /' >"$TRASH_DIRECTORY/turns" &&
	awk -v name="- name: $1" -v file="$TRASH_DIRECTORY/turns" '
		index($0, "  - name: ") == 1 { inside = (index($0, name) > 0); printed = 0 }
		inside && /^    turns:/ { print; while ((getline line < file) > 0) print line; skip = 1; next }
		/^  - name: / { skip = 0 }
		!skip { print }
	' "$TRASH_DIRECTORY/script.yaml" >"$TRASH_DIRECTORY/changed.yaml"
}

# plays <name> <code> [<option>...] plays the changed script and expects an exit code.
plays () {
	plays_name=$1 plays_code=$2
	shift 2
	(
		cd repo &&
		test_expect_code "$plays_code" git flower start --new --name "$plays_name" "$@" \
			--rehearse="$TRASH_DIRECTORY/changed.yaml" --timeout 0 "do it" \
			</dev/null >"$TRASH_DIRECTORY/out" 2>"$TRASH_DIRECTORY/err"
	) || {
		cat "$TRASH_DIRECTORY/out" "$TRASH_DIRECTORY/err"
		return 1
	}
}

# then <name> goes on with the script that behaves, to the end.
then_whole () {
	(
		cd repo &&
		git flower resume "$1" --rehearse="$TRASH_DIRECTORY/script.yaml" </dev/null >"$TRASH_DIRECTORY/out" 2>&1 &&
		flower_kinds "$1" >"$TRASH_DIRECTORY/kinds" &&
		test "$(tail -n 1 "$TRASH_DIRECTORY/kinds")" = end
	) || {
		cat "$TRASH_DIRECTORY/out"
		return 1
	}
}

test_expect_success 'a clarifier that never hands in a brief fails, with what was missing' '
	with clarify <<-\END &&
	- say: Certainly!
	- say: Certainly!
	- say: Certainly!
	END
	plays sure 1 &&
	grep "^hint: " err &&
	test "$(cd repo && flower_count step sure)" = 3
'

test_expect_success 'a clarifier without a section is asked for just that' '
	with clarify <<-\END &&
	- say: |
	    ## Goal
	    Do it.
	- say: |
	    ## Goal
	    Do it.

	    ## Acceptance
	    - it passes

	    ## Out of scope
	    - the rest

	    ## Assumptions
	    none
	END
	plays second 0
'

test_expect_success 'tools that do not exist, input that is none, empty replies' '
	with work <<-\END &&
	- call: {tool: Teleport, input: {where: home}, unknown: true}
	- call: {tool: Bash, input: {nonsense: 1}}
	- fault: {empty: true}
	  call: {tool: Write, input: {file_path: 7}}
	- say: |
	    ## Conclusion
	    Tried.

	    ## Evidence
	    - nothing

	    ## Output
	    - none

	    ## Unverified
	    all
	END
	plays tools 0 &&
	grep "Teleport" out
'

test_expect_success 'a coordinator that tries to work itself is refused and shown the way' '
	with coordinate <<-\END &&
	- call: {tool: Bash, input: {command: "touch by-hand"}}
	- call: {tool: Write, input: {file_path: by-hand, content: x}, unknown: true}
	- call: {tool: dispatch, input: {tasks: [{worker: coder, task: Do it.}]}}
	- say: It is done.
	END
	plays hands 0 &&
	test ! -e repo/by-hand &&
	grep "dispatch" out
'

test_expect_success 'a judge that never hands in a verdict: not yet, and the run says so' '
	with judge <<-\END &&
	- say: I think it is more or less reached.
	- say: As I said, 1 of 1.
	END
	plays vague 1 --rounds 1 &&
	(cd repo && git flower show verdict vague >../verdict) &&
	grep "not-yet" verdict
'

test_expect_success 'a judge that says reached over a failed check is not believed' '
	flower_script false <report &&
	with judge <<-\END &&
	- call: {tool: verdict, input: {state: reached, reason: Fine., checks: [{check: 1, passed: true, evidence: I feel it}]}}
	END
	plays believer 1 &&
	test "$(cd repo && flower_count verdict believer)" = 3 &&
	flower_script true <report
'

test_expect_success 'a clarifier that asks for ever stops at --asks' '
	with clarify <<-\END &&
	- call: {tool: ask, input: {question: "And one?"}}
	- call: {tool: ask, input: {question: "And two?"}}
	- call: {tool: ask, input: {question: ""}}
	- when:
	    - if: {last: "No further questions"}
	      say: "## Goal\nx\n\n## Acceptance\n- x\n\n## Boundaries\nx\n\n## Assumptions\nx"
	    - if: {any: "."}
	      call: {tool: ask, input: {question: "And three?"}}
	- say: "## Goal\nx\n\n## Acceptance\n- x\n\n## Boundaries\nx\n\n## Assumptions\nx"
	END
	(
		cd repo &&
		git flower start --new --name asker --asks 2 --rehearse=../changed.yaml --timeout 0 "do it" </dev/null >../out 2>../err &&
		test "$(flower_count question asker)" = 2
	)
'

test_expect_success 'overloaded, limited, failing, dropped, cut and malformed: the same session carries on' '
	with work <<-\END &&
	- fault: [{error: 529, times: 2}, {error: 429, retry_after: 0}, {error: 500}, {error: 503}, {drop: 2}, {cut: 3}, {malformed: 2}]
	  call: {tool: Bash, input: {command: "echo x >x"}}
	- say: |
	    ## Conclusion
	    Done.

	    ## Evidence
	    - x

	    ## Output
	    - x

	    ## Unverified
	    none
	END
	plays faults 0 &&
	grep "again in" out &&
	test "$(cd repo && flower_count session faults)" = 4
'

test_expect_success 'a key that is refused ends it at once, resumable' '
	with work <<-\END &&
	- fault: {error: 401, times: always}
	  say: never
	END
	plays key 128 &&
	grep "^hint: .*resume key" err &&
	then_whole key
'

test_expect_success 'a prompt of the coordinator that is too long is a save point' '
	with coordinate <<-\END &&
	- fault: {error: 400, message: "prompt is too long: 210000 tokens > 200000 maximum", times: always}
	  say: never
	END
	plays long 3 &&
	then_whole long
'

test_expect_success 'a coordinator whose request is refused is a save point' '
	with coordinate <<-\END &&
	- fault: {error: 400, message: "messages: something is wrong", times: always}
	  say: never
	END
	plays invalid 128 &&
	then_whole invalid
'

test_expect_success 'a worker whose request is refused is reported as failed, and the run goes on' '
	with work <<-\END &&
	- fault: {error: 400, message: "messages: something is wrong", times: always}
	  say: never
	END
	plays failed 0 &&
	git -C repo log -1 --format="%(trailers:key=Flower-State,valueonly)" --grep "^report:" flower/run/failed >state &&
	grep "^failed\$" state
'

test_expect_success 'a budget that is spent is a save point, and nothing beyond it was spent' '
	with work <<-\END &&
	- call: {tool: Bash, input: {command: "echo x >x"}}
	  usage: {output: 30000}
	- say: "## Conclusion\nDone.\n\n## Evidence\n- x\n\n## Output\n- x\n\n## Unverified\nnone"
	END
	plays poor 3 --budget 1.2 &&
	grep "^hint: .*--budget" err &&
	(
		cd repo &&
		git flower status poor --json >../status &&
		spent=$(sed -n "s/.*\"spent_micro_usd\":\([0-9]*\).*/\1/p" ../status) &&
		test "$spent" -ge 600000 && test "$spent" -le 1200000 &&
		test_must_fail code=3 git flower resume poor </dev/null &&
		git flower resume poor --budget 10 </dev/null >../out
	)
'

test_done
