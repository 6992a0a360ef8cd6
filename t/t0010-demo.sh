#!/bin/sh

test_description='the demo, as a newcomer meets it: an empty HOME, no identity, no key'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"
unset GIT_FLOWER_FENCE

cd "$TRASH_DIRECTORY" || exit 1

demo_run=add-json-option

# newcomer <command>: nothing but a PATH and an empty home.
newcomer () {
	env -i PATH="$PATH" HOME="$TRASH_DIRECTORY/nobody" TMPDIR="$TMPDIR" "$@"
}

test_expect_success 'it runs, and tells where everything is' '
	mkdir nobody &&
	newcomer git-flower demo there >out 2>err </dev/null &&
	test_must_be_empty err &&
	grep "reached" out &&
	grep "verdict: round 1: not-yet" out &&
	grep "git diff .* flower/join/$demo_run" out &&
	grep "git flower land --rehearsed" out &&
	grep "rm -rf " out
'

test_expect_success 'round one was rejected since a command really failed, on the join' '
	cd there &&
	git log --reverse --format="%(trailers:key=Flower-Code,valueonly)" --grep "^verdict:" flower/run/$demo_run >../codes &&
	first=$(sed -n 1p ../codes) && last=$(sed -n "/./h; \${g;p}" ../codes) &&
	git worktree add -q --detach ../first $first && git worktree add -q --detach ../last $last &&
	(cd ../first && test_must_fail code=1 ./test.sh >../first.out) && grep "FAIL.*quotation" ../first.out &&
	(cd ../last && ./test.sh >../last.out) && grep "all tests pass" ../last.out &&
	git worktree remove ../first && git worktree remove ../last
'

test_expect_success 'the checkout was not touched, and lands in one step' '
	cd there &&
	git status --porcelain >../out && test_must_be_empty ../out &&
	test_must_fail code=1 ./test.sh >../out &&
	newcomer git-flower land --rehearsed >../out &&
	./test.sh >../out && grep "all tests pass" ../out &&
	grep -e --json README.md
'

test_expect_success 'with the directory it goes on, which here means that nothing is left to do' '
	tip=$(git -C there rev-parse flower/run/$demo_run) &&
	newcomer git-flower demo there >out </dev/null &&
	test "$tip" = "$(git -C there rev-parse flower/run/$demo_run)"
'

test_expect_success 'a directory with other things in it is left alone' '
	mkdir mine && echo precious >mine/file &&
	test_must_fail code=128 git flower demo mine &&
	test "$(ls -A mine)" = file
'

test_expect_success 'its Ctrl-C is a save point' '
	flower_background demo cut &&
	test_wait_for grep -q "\"kind\":\"worker\"" cut/.git/flower/run/$demo_run/events &&
	kill -INT $flower_pid &&
	flower_wait && test "$flower_code" = 130 &&
	grep "^hint: .*resume" background.err &&
	(cd cut && git flower resume >../out </dev/null) &&
	test "$(cd cut && flower_count end $demo_run)" = 1
'

test_expect_success 'without a directory it makes one among the temporary files' '
	git flower demo >out </dev/null &&
	dir=$(sed -n "s/^The scratch repository is //p" out) &&
	case "$dir" in "$TMPDIR"/git-flower-demo-*) : ;; *) false ;; esac &&
	git -C "$dir" rev-parse flower/join/$demo_run
'

test_expect_success 'what is refused leaves nothing among the temporary files' '
	mkdir scratch && cd scratch &&
	test_must_fail code=128 env TMPDIR="$PWD" GIT_FLOWER_CLAUDE="$PWD/none" git flower demo --harness claude >../out 2>../err &&
	grep "harness messages" ../err && test_must_be_empty ../out &&
	ls -A >../out && test_must_be_empty ../out &&
	test_must_fail code=128 env TMPDIR="$PWD" GIT_FLOWER_JOBS=many git flower demo >../out &&
	ls -A >../out && test_must_be_empty ../out
'

test_done
