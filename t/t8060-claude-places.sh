#!/bin/sh

test_description='the Claude Code CLI in repositories with odd paths, without a checkout, and for hours'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"
. "$TEST_DIRECTORY/lib-claude.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'a path with blanks, quotes and characters beyond ASCII' '
	place="工作 of \"ours\"/it'"'"'s här" &&
	mkdir -p "$place" && git init -q "$place/repo" && test_commit -C "$place/repo" one &&
	(
		cd "$place/repo" &&
		flower_start --name odd "write something, anything" &&
		git flower land --rehearsed &&
		test -f rehearsal-*.md
	) &&
	claude_clean
'

test_expect_success 'a repository without a checkout' '
	git clone -q --bare "$place/repo" bare.git &&
	(
		cd bare.git &&
		flower_start --name bare "write something, anything" &&
		git ls-tree --name-only flower/join/bare >../names
	) &&
	test_grep "^rehearsal-" names &&
	claude_clean
'

# Longer than the CLI lets a hook take unless it is told otherwise (600 s); an MCP
# call was once made to wait 1900 s by hand.
test_expect_success LONG 'a worker that takes eleven minutes' '
	git init -q slow && test_commit -C slow one &&
	(
		cd slow &&
		flower_waiting_script &&
		flower_background start --new --name slow --rehearse=../script.yaml --timeout 0 "do it" &&
		test_wait_for test -e ../begun &&
		sleep 660 &&
		: >../go &&
		flower_wait && test "$flower_code" = 0 &&
		test "$(flower_count report slow)" = 1
	) &&
	claude_clean
'

test_done
