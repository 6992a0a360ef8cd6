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
	died=0
	GIT_FLOWER_CRASH=$1 "$TEST_FLOWER_CRASH_BIN/git-flower" demo --timeout 0 dies >dies.out 2>&1 </dev/null || died=$?
	test $died = 0 && return 3
	test $died = 137 || {
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

# Every how many passages a death is tried; TEST_CRASH_EVERY=1 is the whole matrix.
every=${TEST_CRASH_EVERY:-4}
test -z "$TEST_LONG" || every=1

# all_of <point> <step> dies there at every step-th passage, as many as there are
# records and no more.
all_of () {
	records=$(cat records)
	nth=1
	while test "$nth" -le "$records"
	do
		rm -rf dies
		dies_at "$1:$nth" || return 1
		nth=$((nth + $2))
	done
	rm -rf dies
	code=0
	dies_at "$1:$((records + 1))" || code=$?
	test $code = 3
}

test_expect_success CRASH 'after the objects of a record, before its ref' '
	all_of append-after-objects $every
'

test_expect_success CRASH 'after the ref of every record, so between any two of them' '
	all_of append-after-ref 1
'

test_expect_success CRASH 'in the middle of making, finishing and giving back a tree' '
	for point in worktree-add-claimed worktree-add-owned worktree-add-filled worktree-add-linked \
		worktree-finish-imported worktree-finish-committed worktree-finish-noted \
		worktree-release-begun worktree-release-cleaned
	do
		rm -rf dies
		dies_at $point:1 || {
			echo "at $point"
			return 1
		}
	done
'

test_done
