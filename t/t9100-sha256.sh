#!/bin/sh

test_description='a repository whose objects are named by sha256

A run ends there as in a repository of sha1, is killed and goes on, lands, and
moves to a clone.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_lazy_prereq SHA256 'git init -q --object-format=sha256 probe'

test_expect_success 'what a plain repository comes to' '
	git init plain && test_commit -C plain first && cd plain &&
	flower_start --name odd "odd place" &&
	flower_canonical >../expect &&
	git diff flower/base/odd flower/join/odd | sed /^index/d >../expect.diff &&
	test_line_count -gt 3 ../expect.diff
'

# same_end: as in the plain repository.
same_end () {
	flower_canonical >../actual &&
	test_cmp ../expect ../actual &&
	git diff flower/base/odd flower/join/odd | sed /^index/d >../actual.diff &&
	test_cmp ../expect.diff ../actual.diff
}

test_expect_success SHA256 'a whole run' '
	git init --object-format=sha256 whole && test_commit -C whole first && cd whole &&
	flower_start --name odd "odd place" &&
	same_end &&
	git rev-parse flower/join/odd >../id &&
	test "$(tr -d "\n" <../id | wc -c)" = 64 &&
	git log -1 --format="%(trailers:key=Flower-Tip,valueonly)" --grep "^report:" flower/run/odd >../tip &&
	git cat-file -e "$(cat ../tip)^{commit}"
'

test_expect_success SHA256 'log, show, status and land' '
	cd whole &&
	git flower log odd >../out && test_grep reached ../out &&
	git flower show odd >../out && test_grep "Status: done" ../out &&
	git flower status odd >../out && test_grep reached ../out &&
	git flower land --rehearsed &&
	test_path_exists rehearsal-odd.md &&
	test "$(git rev-parse HEAD)" = "$(git rev-parse flower/join/odd)" &&
	git status --porcelain >../out && test_must_be_empty ../out
'

test_expect_success SHA256 'killed at any of some moments' '
	live=0 &&
	for n in 6 14 22 30 38
	do
		rm -rf killed && git init --object-format=sha256 killed && test_commit -C killed first &&
		(
			cd killed &&
			flower_kill_at $n start --rehearse --timeout 0 --name odd "odd place" &&
			echo $flower_lived >../lived &&
			git flower resume odd --timeout 0 </dev/null >../out &&
			same_end
		) || return 1
		test "$(cat lived)" = 0 && live=$((live + 1))
	done &&
	test $live -ge 3
'

test_expect_success SHA256 'a clone of it has the run' '
	git clone whole clone && cd clone &&
	git fetch origin "refs/flower/*:refs/flower/*" &&
	same_end &&
	git flower fsck odd
'

test_done
