#!/bin/sh

test_description='a run that dies at a named point of the program goes on

The binary with crash points dies exactly there, so that between any two records
at least one death is certain to happen.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

demo_run=add-json-option

test_expect_success 'an uninterrupted run' '
	git flower demo --timeout 0 whole >whole.out </dev/null &&
	(
		cd whole &&
		flower_canonical $demo_run >../expect.history &&
		git rev-parse flower/join/$demo_run^{tree} >../expect.tree &&
		flower_kinds $demo_run | wc -l >../records
	)
'

# dies_at <point>:<nth> and goes on to the same end. Code 3: it never died.
dies_at () {
	code=0
	GIT_FLOWER_CRASH=$1 "$TEST_FLOWER_CRASH_BIN/git-flower" demo --timeout 0 dies >dies.out 2>&1 </dev/null || code=$?
	test $code = 0 && return 3
	test $code = 137 || {
		cat dies.out
		return 1
	}
	git flower demo --timeout 0 dies >dies.out 2>&1 </dev/null &&
	(
		cd dies &&
		flower_canonical $demo_run >../actual.history &&
		git rev-parse flower/join/$demo_run^{tree} >../actual.tree
	) &&
	test_cmp expect.history actual.history &&
	test_cmp expect.tree actual.tree || {
		echo "after $1"
		tail -5 dies.out
		return 1
	}
}

# all_of <point> dies at its first, second, … passage until there is none.
all_of () {
	nth=0
	while
		nth=$((nth + 1))
		rm -rf dies
		code=0
		dies_at "$1:$nth" || code=$?
		test $code = 0
	do
		:
	done
	deaths=$((nth - 1))
	test $code = 3
}

test_expect_success CRASH 'before and after every record' '
	all_of append-after-objects && test $deaths = "$(cat records)" &&
	all_of append-after-ref && test $deaths = "$(cat records)"
'

test_done
