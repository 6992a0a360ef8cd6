#!/bin/sh

test_description='say: words at any time, from any terminal'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup: a worker that waits' '
	test_commit -C repo first &&
	flower_waiting_script
'

# The words of every amendment of a run, the oldest first.
words () {
	git log --reverse --format=%s --grep "^amendment: " "refs/flower/run/$1" | sed "s/^amendment: //"
}

test_expect_success 'words reach a run that is driven: recorded first, then told' '
	(
		cd repo &&
		flower_background start --new --name live --rehearse=../script.yaml --timeout 0 "do it" &&
		test_wait_for test -e ../begun &&
		git flower say "also that" >../said &&
		grep "^recorded in run live as amendment [0-9]*; process $flower_pid drives it" ../said &&
		words live >../words && echo "also that" >../expect && test_cmp ../expect ../words &&
		flower_wait_event "\"kind\":\"amendment\".*also that.*\"state\":\"queued\"" &&
		: >../go &&
		flower_wait && test "$flower_code" = 0
	)
'

test_expect_success 'the goal was set again, from the words as well' '
	cd repo &&
	test "$(flower_count goal live)" = 2 &&
	git log -1 --format="%(trailers:key=Flower-From,valueonly,separator=%x20)" --grep "^goal: " refs/flower/run/live >../from &&
	grep amendments/ ../from &&
	git flower fsck
'

test_expect_success 'the words bear date and time' '
	cd repo &&
	git log --format="%(trailers:key=Flower-Time,valueonly)" --grep "^amendment: " refs/flower/run/live >../time &&
	grep "^20[0-9-]*T[0-9:]*Z" ../time
'

test_expect_success 'the inbox is empty, and says nothing by itself' '
	cd repo &&
	ls "$(flower_common)/flower/run/live/inbox" >../left &&
	test_must_be_empty ../left
'

test_expect_success 'many at once: none is lost' '
	(
		cd repo &&
		rm -f ../go ../begun &&
		flower_background start --new --name many --rehearse=../script.yaml --timeout 0 "do it" &&
		test_wait_for test -e ../begun &&
		pids= &&
		for n in 1 2 3 4 5 6
		do
			git flower say --run many "word $n" >"../said$n" &
			pids="$pids $!"
		done &&
		for pid in $pids
		do
			wait "$pid" || return 1
		done &&
		test "$(words many | sort -u | wc -l)" -eq 6 &&
		: >../go &&
		flower_wait && test "$flower_code" = 0
	) &&
	cd repo &&
	git flower fsck many
'

test_expect_success 'words to a run that nobody drives wait for resume' '
	(
		cd repo &&
		rm -f ../go ../begun &&
		flower_background start --new --name dead --rehearse=../script.yaml --timeout 0 "do it" &&
		test_wait_for test -e ../begun &&
		flower_kill &&
		git flower say --run dead "remember this" >../said 2>../err &&
		grep "no process drives it" ../said && grep "^hint: .*git flower resume dead" ../err &&
		: >../go &&
		git flower resume dead </dev/null >../out &&
		words dead >../words && echo "remember this" >../expect && test_cmp ../expect ../words
	)
'

test_expect_success 'a word that stands in the brief already counts all the same' '
	(
		cd repo &&
		git flower show brief dead >../brief && grep "Do it" ../brief &&
		git flower say --run dead "Do" &&
		git flower resume dead </dev/null >../out &&
		git log -1 --format="%(trailers:key=Flower-From,valueonly,separator=%x20)" --grep "^goal: " refs/flower/run/dead >../from &&
		test "$(tr " " "\n" <../from | grep -c amendments/)" = 2
	)
'

test_expect_success 'words for one worker: it alone hears them, and the goal stays' '
	(
		cd repo &&
		rm -f ../go ../begun &&
		flower_background start --new --name to --rehearse=../script.yaml --timeout 0 "do it" &&
		test_wait_for test -e ../begun &&
		git rev-parse refs/flower/run/to >../before &&
		test_must_fail code=1 git flower say --run to --to coder-9 "nobody" 2>../err &&
		grep "at work: coder-1" ../err && grep "^hint: " ../err &&
		git rev-parse refs/flower/run/to >../after && test_cmp ../before ../after &&
		git flower say --run to --to coder-1 "only you" >../said &&
		grep "passes it to coder-1" ../said &&
		flower_wait_event "\"worker\":\"coder-1\".*only you.*\"state\":\"queued\"" &&
		flower_wait_event "\"worker\":\"coder-1\".*only you.*\"state\":\"taken\"" &&
		: >../go &&
		flower_wait && test "$flower_code" = 0 &&
		test "$(flower_count goal to)" = 1 &&
		test_must_fail code=1 git flower say --run to --to coder-1 "too late"
	)
'

test_expect_success 'a worker that was killed hears them when it goes on' '
	(
		cd repo &&
		rm -f ../go ../begun &&
		flower_background start --new --name lost --rehearse=../script.yaml --timeout 0 "do it" &&
		test_wait_for test -e ../begun &&
		flower_kill &&
		git flower say --run lost --to coder-1 "only you" >../said &&
		: >../go &&
		git flower resume lost </dev/null >../out &&
		test "$(flower_count goal lost)" = 1 && git flower fsck lost
	)
'

ended () {
	test "$(flower_count end "$1")" = "$2"
}

# Nobody reads what the driver tells, so that it holds the run after its end.
test_expect_success 'words as the run ends: who was said to take them up does' '
	(
		cd repo &&
		: >../go &&
		mkfifo ../full &&
		exec 8<>../full &&
		{ yes >&8 2>/dev/null & } &&
		filler=$! &&
		{ git-flower start --new --name late --json --rehearse=../script.yaml --timeout 0 "do it" </dev/null >&8 2>../late.err & } &&
		late=$! &&
		test_wait_for ended late 1 &&
		git flower say --run late "at the last moment" >../said &&
		grep "process $late drives it and takes it up" ../said &&
		kill "$filler" &&
		{ cat <../full >/dev/null & } &&
		drain=$! &&
		wait "$late" &&
		kill "$drain" &&
		ended late 2 &&
		git log -1 --format="%(trailers:key=Flower-From,valueonly,separator=%x20)" --grep "^goal: " refs/flower/run/late >../from &&
		grep amendments/ ../from
	)
'

test_done
