#!/bin/sh

test_description='a long run: what its contexts held, and that nothing was lost

See t/marathon. A slice in each harness, the whole under TEST_LONG.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success GO 'setup' '
	test_go_build "$TRASH_DIRECTORY/marathon" ./t/marathon
'

# runs <marathon option>... <folder>: it ends well, though it was killed.
runs () {
	./marathon "$@" >out
	marathon_code=$?
	cat out && test "$marathon_code" = 0 &&
	test_grep "kills of the driver survived .* 1 " out &&
	test_grep "turns of workers lost  *0 " out
}

test_expect_success GO 'a slice: handoffs, a kill, a load that rewrote history; every request begins with the one before' '
	runs -seed 1 slice &&
	test_grep "after loads .* [1-9] of [1-9] loads, [1-9] rewrote" out
'

test_expect_success GO,CLAUDE 'a slice in the Claude Code CLI' '
	GIT_FLOWER_CLAUDE=$test_claude runs -seed 1 -harness claude slice-claude
'

test_expect_success GO,LONG 'the whole' '
	./marathon -long -seed "$test_seed" whole >out && cat out
'

test_done
