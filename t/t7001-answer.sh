#!/bin/sh

test_description='answer: a question is answered from another terminal, once'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup' '
	test_commit -C repo first
'

# saw <run> <pattern>: an event of the run matches.
saw () {
	flower_events "$1" | grep -q -e "$2"
}

# asks <name>: a rehearsal that waits for answers from elsewhere.
asks () {
	flower_background start --new --name "$1" --rehearse --timeout 10m "write something" &&
	test_wait_for saw "$1" "\"kind\":\"ask\""
}

# asked <name>: the number of its newest question.
asked () {
	git flower show --json question "$1" | sed -n "s|.*\"name\":\"questions/0*\([0-9]*\)-.*|\1|p"
}

test_expect_success 'a run without a terminal and with --timeout waits' '
	(
		cd repo &&
		asks one &&
		git flower answer --run one >../list &&
		grep "^$(asked one) " ../list &&
		git flower answer --run one 1 >../said &&
		grep "process $flower_pid drives it" ../said &&
		flower_wait && test "$flower_code" = 0 &&
		grep "git flower answer $(asked one)" ../background.out
	)
'

test_expect_success 'its answer is the option, recorded once' '
	cd repo &&
	test "$(flower_count answer one)" = 1 &&
	git flower show question one >../question &&
	sed -n "s/^1\. //p" ../question >../expect &&
	git flower show answer one >../actual &&
	test_cmp ../expect ../actual
'

test_expect_success 'a second answer is refused, with what can be done instead' '
	cd repo &&
	test_must_fail code=128 git flower answer --run one "$(asked one)" 2 2>../err &&
	grep "was answered" ../err && grep "^hint: .*git flower say" ../err &&
	test_must_fail code=1 git flower answer --run one 2 2>../err
'

# both <question>: two answers at once, and how they end, the better one first.
both () {
	git-flower answer --run race "$1" this >../a 2>&1 &
	this=$!
	that_code=0
	git-flower answer --run race "$1" that >../b 2>&1 || that_code=$?
	this_code=0
	wait "$this" || this_code=$?
	printf "%s\n" "$this_code" "$that_code" | sort
}

test_expect_success 'two answer at the same moment: one counts, one is told' '
	(
		cd repo &&
		asks race &&
		both "$(asked race)" >../codes && printf "0\n128\n" >../expect && test_cmp ../expect ../codes &&
		flower_wait && test "$flower_code" = 0 &&
		test "$(flower_count answer race)" = 1
	)
'

test_expect_success 'answered while nobody drives, the session hears it on resume' '
	(
		cd repo &&
		asks dead &&
		flower_kill &&
		git flower status dead >../status && grep -i "question" ../status &&
		git flower answer --run dead "my own words" >../said 2>../err &&
		grep "no process drives it" ../said &&
		git flower resume dead </dev/null >../out &&
		test "$(flower_count question dead)" = 1 && test "$(flower_count answer dead)" = 1 &&
		git flower show answer dead >../actual && echo "my own words" >../expect && test_cmp ../expect ../actual
	)
'

test_expect_success 'nobody answers in time: decided, and an answer comes too late' '
	cd repo &&
	git flower start --new --name late --rehearse --timeout 1 "x" </dev/null >../out &&
	test_must_fail code=128 git flower answer --run late "$(asked late)" 1 2>../err &&
	grep "nobody did in time" ../err
'

test_expect_success 'setup: a goal that cannot be reached here' '
	flower_script "test -f begun" <<-\END &&
	- say: |
	    ## Conclusion
	    Nothing can be done.

	    ## Evidence
	    - none

	    ## Output
	    - none

	    ## Unverified
	    None.
	END
	sed "s/state: not-yet, reason: It is not done/state: unreachable, reason: It cannot be done/" script.yaml >unreachable.yaml &&
	grep unreachable unreachable.yaml
'

# stuck <name> <option>...: its judge holds the goal to be unreachable.
stuck () {
	name=$1
	shift
	git-flower start --new --name "$name" --rehearse=../unreachable.yaml "$@" "do it" </dev/null >../out 2>../err
}

test_expect_success 'the question about it uses up no budget, and nobody there needs a person' '
	cd repo &&
	test_must_fail code=2 stuck stuck --asks 0 --timeout 0 &&
	test "$(flower_count question stuck)" = 1 &&
	test_must_fail code=2 git flower resume stuck </dev/null 2>../err &&
	test "$(flower_count question stuck)" = 1
'

test_expect_success 'accepted: an end of its own, in status, log and exit code' '
	cd repo &&
	git flower answer --run stuck "accept" &&
	test_must_fail code=1 git flower resume stuck </dev/null >../out 2>../err &&
	test_must_fail code=1 git flower watch stuck >../watched 2>../err && grep "^hint: " ../err &&
	git flower status stuck >../status && grep accepted ../status &&
	git flower log --no-pager stuck >../log && grep accepted ../log
'

test_expect_success 'T-49: a sentence that begins like an option is words: the judge is wrong' '
	cd repo &&
	test_must_fail code=2 stuck words --timeout 0 &&
	git flower answer --run words "accept that it takes longer, but go on" &&
	git log -1 --format="%(trailers:key=Flower-State,valueonly,separator=%x20)" refs/flower/run/words >../state &&
	grep wrong ../state
'

set_twice () {
	test "$(flower_count goal "$1")" -ge 2
}

test_expect_success 'changed while the run waits: the goal is set again' '
	(
		cd repo &&
		flower_background start --new --name change --rounds 2 --rehearse=../unreachable.yaml --timeout 10m "do it" &&
		test_wait_for saw change "\"kind\":\"ask\"" &&
		test_must_fail code=129 git flower answer --run change 2 2>../err && grep -e "--goal" ../err &&
		git flower answer --run change --goal "only this" &&
		test_wait_for set_twice change &&
		flower_kill &&
		git flower show amendment change >../actual && echo "only this" >../expect && test_cmp ../expect ../actual
	)
'

test_expect_success 'setup: a check that cannot be verified here' '
	flower_script "test -f made" <<-END &&
	- call: {tool: Bash, input: {command: ": >made", description: make}}
	$(flower_report)
	END
	sed "s/checks: \[{text: the check passes, command: .*}\]/checks: [{text: the check passes, command: \"test -f made\"}, {text: it looks good, unverifiable: it takes an eye}]/" script.yaml >eye.yaml &&
	grep "takes an eye" eye.yaml
'

# eyes <name>: waits for a word about that check.
eyes () {
	flower_background start --new --name "$1" --rehearse=../eye.yaml --asks 0 --timeout 10m "look at it" &&
	test_wait_for saw "$1" "\"kind\":\"ask\".*cannot be verified"
}

test_expect_success 'a check that cannot be verified is told and asked about before any work' '
	(
		cd repo &&
		eyes drop &&
		test "$(flower_count step drop)" = 0 && test "$(flower_count notice drop)" = 1 &&
		git log --format="%s%n%b" flower/run/drop >../log && grep "1 of 2 checks cannot be verified here" ../log &&
		git flower status drop >../status && grep "cannot be verified" ../status &&
		git flower answer --run drop >../list && grep "it looks good (it takes an eye)" ../list &&
		git flower answer --run drop drop &&
		flower_wait && test "$flower_code" = 0 &&
		git show flower/run/drop:goal.md >../goal && test_must_fail grep "it looks good" ../goal
	)
'

test_expect_success 'killed while it asks, it comes to the same history' '
	(
		cd repo &&
		flower_canonical drop >../expect &&
		eyes cut && flower_kill &&
		git flower answer --run cut 2 &&
		git flower resume cut </dev/null &&
		flower_canonical cut >../actual && test_cmp ../expect ../actual
	)
'

test_expect_success 'stop: nothing is worked on, a person is needed, and it is asked anew' '
	(
		cd repo &&
		eyes halt &&
		git flower answer --run halt stop &&
		flower_wait && test "$flower_code" = 2 &&
		grep "^hint: " ../background.err &&
		tip=$(git rev-parse flower/run/halt) &&
		test_must_fail code=2 git flower resume halt --timeout 0 </dev/null &&
		test "$tip" = "$(git rev-parse flower/run/halt)" &&
		git flower status halt >../status && grep "state:.*waiting" ../status &&
		git flower answer --run halt drop &&
		git flower resume halt --timeout 0 </dev/null
	)
'

test_expect_success 'nobody there: the check stays, and at the end a person is needed' '
	cd repo &&
	test_must_fail code=2 git flower start --new --name alone --rehearse=../eye.yaml --timeout 0 "look at it" </dev/null >../out 2>../err &&
	grep "the checks stay in the goal" ../out &&
	git flower answer --run alone 1 &&
	test_must_fail code=1 git flower resume alone </dev/null >../out 2>../err && grep accepted ../err
'

test_expect_success 'all of it is sound' '
	cd repo &&
	git flower fsck
'

test_done
