#!/bin/sh

test_description='start and resume in the background'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup: a worker that waits' '
	test_commit -C repo first &&
	flower_waiting_script
'

# field <run> <label>: from status.
field () {
	git flower status --porcelain "$1" | sed -n "s/^$2 //p"
}

# is <run> <state>
is () {
	test "$(field "$1" state)" = "$2"
}

test_expect_success 'what cannot be started is not: nothing is recorded' '
	cd repo &&
	test_must_fail code=128 git flower start --detach --rehearse=nosuch "do it" &&
	test_must_fail code=129 git flower start --detach --rehearse " " &&
	test -z "$(flower_runs)"
'

test_expect_success 'start returns when another process drives the run' '
	cd repo &&
	rm -f ../go ../begun &&
	git flower start --detach --name one --rehearse=../script.yaml --timeout 0 "do it" >../out &&
	grep "drives run one in the background" ../out && grep "git flower watch one" ../out &&
	field one driver >../pid && test -s ../pid &&
	grep "^process $(cat ../pid) " ../out &&
	is one running
'

test_expect_success 'it has a session of its own' '
	(
		cd repo &&
		stat=/proc/$(cat ../pid)/stat &&
		if test -e "$stat"
		then
			test "$(sed "s/.*) //" "$stat" | cut -d" " -f4)" = "$(cat ../pid)"
		fi
	)
'

test_expect_success 'words, a stop and a resume in the background' '
	cd repo &&
	test_wait_for test -e ../begun &&
	git flower say --run one "also that" >../out && grep "process $(cat ../pid) drives it" ../out &&
	test_must_fail code=128 git flower resume --detach one 2>../err && grep "driven by process $(cat ../pid)" ../err &&
	git flower stop one >../out && grep "process $(cat ../pid) has stopped" ../out &&
	is one open &&
	git flower resume --detach --json one >../out &&
	grep "\"driver_pid\":$(field one driver)" ../out &&
	: >../go &&
	test_wait_for is one reached &&
	git flower fsck one
'

test_expect_success 'its output is in the log' '
	cd repo &&
	grep "run one: reached" "$(flower_common)/flower/run/one/log"
'

test_expect_success 'questions wait for an answer from elsewhere' '
	cd repo &&
	git flower start --detach --name two --rehearse "write something" >../out &&
	test_wait_for is two waiting &&
	git flower answer --run two 1 &&
	test_wait_for is two reached &&
	git flower show brief two >../brief && grep "whoever looks" ../brief
'

test_expect_success 'a process that ends before it drives: said, and not a success' '
	cd repo &&
	git flower start --name three --rehearse=../script.yaml --timeout 0 "do it" </dev/null >../out &&
	git flower say --run three "more" &&
	echo "nonsense: [" >"$(flower_common)/flower/run/three/rehearsal.yaml" &&
	test_must_fail code=128 git flower resume --detach three 2>../err &&
	grep "^hint: " ../err
'

test_done
