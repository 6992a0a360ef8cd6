#!/bin/sh

test_description='ask: side questions, which enter no session of the run'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup: a worker that waits' '
	test_commit -C repo first &&
	flower_waiting_script
'

# spent <run>: what the run has cost, in millionths of a dollar.
spent () {
	git flower status --porcelain "$1" | sed -n "s/^spent-micro-usd //p"
}

# state <run>
state () {
	git flower status --porcelain "$1" | sed -n "s/^state //p"
}

test_expect_success 'a question about a driven run is answered while that goes on' '
	(
		cd repo &&
		flower_background start --new --name live --rehearse=../script.yaml --timeout 0 "do it" &&
		test_wait_for test -e ../begun &&
		git flower ask "how far is it?" >../answer &&
		grep "^I cannot tell" ../answer &&
		test_must_fail test -e ../go &&
		test "$(state live)" = running &&
		test "$(flower_count notice live)" = 1 &&
		git flower show notice live >../notice &&
		grep "how far is it" ../notice && grep "I cannot tell" ../notice &&
		: >../go &&
		flower_wait && test "$flower_code" = 0
	)
'

test_expect_success 'what it cost counts, and its words are nowhere else' '
	cd repo &&
	git flower show --json ledger live >../ledger &&
	grep "\"role\": *\"oracle\"" ../ledger &&
	git flower show goal live >../goal && test_must_fail grep "how far" ../goal &&
	flower_events live >../events &&
	test_must_fail grep "I cannot tell" ../events &&
	git flower fsck live
'

test_expect_success 'an ended run can be asked about, and stays ended' '
	cd repo &&
	before=$(spent live) &&
	echo "how did it go?" | git flower ask --json - >../answer &&
	grep "\"kind\":\"aside\".*\"text\":\"I cannot tell.\",\"state\":\"answered\"" ../answer &&
	test "$(state live)" = reached &&
	test "$(spent live)" -gt "$before" &&
	test "$(git log -1 --format="%(trailers:key=Flower-Standing,valueonly,separator=)" refs/flower/run/live)" = "end reached" &&
	git flower ask "and again?" >../answer &&
	test "$(state live)" = reached &&
	git flower resume live </dev/null >../out &&
	test "$(flower_count end live)" = 1
'

test_expect_success 'an open question stays open' '
	(
		cd repo &&
		flower_background start --new --name open --rehearse --timeout 10m "write something" &&
		flower_wait_event "\"kind\":\"ask\"" &&
		git flower ask --run open "what does it want?" >../answer &&
		grep "It was asked: what does it want?" ../answer &&
		test "$(state open)" = waiting &&
		git flower answer --run open 1 &&
		flower_wait && test "$flower_code" = 0
	)
'

test_expect_success 'nothing is asked where the budget is used up' '
	cd repo &&
	test_must_fail code=3 git flower start --new --name poor --rehearse=../script.yaml --timeout 0 --budget 0.02 "do it" </dev/null >../out 2>../err &&
	tip=$(git rev-parse refs/flower/run/poor) &&
	test_must_fail code=3 git flower ask --run poor "why?" >../answer 2>../err &&
	test_must_be_empty ../answer && grep "^hint: " ../err &&
	test "$(git rev-parse refs/flower/run/poor)" = "$tip"
'

test_expect_success 'an asking that is killed has cost what it has cost' '
	(
		cd repo &&
		rm -f ../begun && : >../go &&
		sed "s/^      - say: I cannot tell.*/      - {say: I cannot tell., delay: 10m}/" ../script.yaml >../slow.yaml &&
		git flower start --new --name slow --rehearse=../slow.yaml --timeout 0 "do it" </dev/null >../out &&
		before=$(spent slow) &&
		journal=$(flower_common)/flower/run/slow/spend &&
		flower_background ask --run slow "how?" &&
		test_wait_for grep -q "\"role\":\"oracle\"" "$journal" &&
		flower_kill && test "$flower_lived" = 0 &&
		git flower say --run slow "and more" &&
		git flower resume slow --rehearse=../script.yaml </dev/null >../out &&
		git flower show --json ledger slow >../ledger &&
		test "$(grep -c "\"role\": *\"oracle\"" ../ledger)" = 1 &&
		test "$(spent slow)" -gt "$before" && git flower fsck slow
	)
'

test_expect_success 'no question, no run' '
	cd repo &&
	test_must_fail code=129 git flower ask &&
	test_must_fail code=128 git flower ask --run nosuch "what?"
'

test_done
