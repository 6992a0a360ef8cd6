#!/bin/sh

test_description='a long run: what its contexts held, and that nothing was lost

See t/marathon. A slice always, the whole under TEST_LONG.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success GO 'a slice: every request begins with the one before, no turn is lost' '
	test_go_build "$TRASH_DIRECTORY/marathon" ./t/marathon &&
	./marathon -seed 1 slice >out && cat out &&
	test_grep "rewritten beginnings .* 0  " out && test_grep "turns of workers lost  *0 " out
'

test_expect_success GO,LONG 'the whole' '
	./marathon -long whole >out && cat out
'

test_done
