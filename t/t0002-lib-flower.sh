#!/bin/sh

test_description='lib-flower.sh: runs are started, watched and killed'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

test_expect_success 'setup' '
	test_commit base
'

test_expect_success 'flower_start plays a rehearsal to its end' '
	flower_start "add a greeting" &&
	flower_run >name &&
	test_line_count = 1 name &&
	flower_kinds >kinds &&
	head -n 1 kinds >actual &&
	echo request >expect &&
	test_cmp expect actual &&
	test "$(flower_count end)" = 1 &&
	flower_events >events &&
	test_grep "\"kind\":\"end\"" events
'

test_expect_success 'flower_start passes a failure on' '
	test_must_fail code=129 flower_start --no-such-option x
'

test_expect_success 'flower_wait_event and flower_wait' '
	git init -q watched &&
	test_commit -C watched base &&
	cd watched &&
	flower_background start --rehearse "add a greeting" &&
	flower_wait_event "\"kind\":\"record\"" &&
	flower_wait &&
	test "$flower_code" = 0 &&
	test_must_fail flower_wait_event "no event is like this" 2>/dev/null
'

test_expect_success 'flower_kill_at leaves a run that goes on to the same history' '
	git init -q killed &&
	test_commit -C killed base &&
	cd killed &&
	flower_kill_at 8 start --rehearse "add a greeting" &&
	test "$flower_lived $flower_code" = "0 137" &&
	test "$(flower_events | wc -l)" -ge 8 &&
	git flower resume >../resume.out 2>&1 </dev/null &&
	flower_canonical >../actual &&
	git -C ../watched flower fsck --canonical >../expect &&
	test_cmp ../expect ../actual
'

test_expect_success 'flower_kill_at says when the run was over before' '
	git init -q over &&
	test_commit -C over base &&
	cd over &&
	flower_kill_at 100000 start --rehearse "add a greeting" &&
	test "$flower_lived $flower_code" = "1 0"
'

test_expect_success CRASH 'flower_crash dies where it is told' '
	git init -q crashed &&
	test_commit -C crashed base &&
	cd crashed &&
	flower_crash append-after-ref:2 start --rehearse "add a greeting" &&
	test "$(git rev-list --count "refs/flower/run/$(flower_run)")" = 2 &&
	! flower_crash append-after-ref:100000 resume &&
	test "$flower_code" = 0
'

test_done
