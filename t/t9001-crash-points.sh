#!/bin/sh

test_description='a run that dies at a named point of the program goes on

The binary with crash points dies exactly there. Under TEST_LONG it does so between
any two records; else at some that the seed picks, and once at each step of a tree.'

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

# How many deaths are tried at a point: as many as there are, or a slice.
all=${TEST_LONG:+1000000}

# all_of <point> <n> dies there at n passages. There are as many as records and no
# more.
all_of () {
	records=$(cat records)
	test_pick "${all:-$2}" "$records" "$2" >passages || return 1
	for nth in $(cat passages)
	do
		rm -rf dies
		dies_at "$1:$nth" || return 1
	done
	rm -rf dies
	code=0
	dies_at "$1:$((records + 1))" || code=$?
	test $code = 3
}

# some_of <point>... prints one of them that the seed picks, or all.
some_of () {
	test_pick "${all:-1}" $# $# >picked &&
	for nth in $(cat picked)
	do
		eval "echo \${$nth}"
	done
}

test_expect_success CRASH 'after the objects of a record, before its ref' '
	all_of append-after-objects 3
'

test_expect_success CRASH 'after the ref of a record, so between any two of them' '
	all_of append-after-ref 5
'

test_expect_success CRASH 'in the middle of making, finishing and giving back a tree' '
	some_of add-claimed add-owned add-filled add-linked >points &&
	some_of finish-imported finish-committed finish-noted >>points &&
	some_of release-begun release-cleaned >>points &&
	for point in $(cat points)
	do
		rm -rf dies
		dies_at worktree-$point:1 || {
			echo "at $point"
			return 1
		}
	done
'

test_done
