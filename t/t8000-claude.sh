#!/bin/sh

test_description='a rehearsed run whose sessions are in the Claude Code CLI'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"
. "$TEST_DIRECTORY/lib-claude.sh"

cd "$TRASH_DIRECTORY" || exit 1

# at_home lists the user's home but for our local state.
at_home () {
	(cd "$HOME" && find . -path ./.local -prune -o -print | sort)
}

test_expect_success 'setup: a repository with work going on' '
	test_commit -C repo one &&
	(
		cd repo &&
		echo changed >one.t &&
		echo new >untracked &&
		git status --porcelain >../before
	)
'

# Also what programs of others leave that both harnesses ask for where things are.
test_expect_success 'a run of our own loop, to compare with' '
	cp -R repo other &&
	(
		cd other &&
		flower_start --harness messages --name run "write something, anything" &&
		flower_canonical run | sed "s/messages/claude/" >../history
	) &&
	at_home >home.before
'

test_expect_success 'it runs to its end' '
	cd repo &&
	flower_start --name run "write something, anything"
'

test_expect_success 'nothing runs any more and nothing is left: no folder, no file in the home, none in temp' '
	claude_clean &&
	at_home >home.after && test_cmp home.before home.after &&
	find "$TMPDIR" -mindepth 1 >left && test_must_be_empty left
'

test_expect_success 'its sessions and reports name the harness' '
	cd repo &&
	git log --format="%(trailers:key=Flower-Kind,valueonly,separator=%x2C) %(trailers:key=Flower-Harness,valueonly,separator=%x2C)" flower/run/run >../named &&
	grep -e "^session" -e "^report" ../named | sort -u >../actual &&
	printf "report claude\nsession claude\n" >../expect &&
	test_cmp ../expect ../actual
'

test_expect_success 'its history is the one that our own loop makes' '
	(cd repo && flower_canonical run) >actual &&
	test_line_count -gt 100 history &&
	test_cmp history actual
'

test_expect_success 'the checkout, its branch and its index are as they were, and the result lands' '
	cd repo &&
	git status --porcelain >../after && test_cmp ../before ../after &&
	git stash -q &&
	git flower land --rehearsed &&
	test -f rehearsal-*.md
'

test_expect_success 'what a process had in its folder is for nobody else' '
	cd repo &&
	flower_waiting_script &&
	flower_background start --new --name waits --rehearse=../script.yaml --timeout 0 "do it" &&
	test_wait_for test -e ../begun &&
	find "$XDG_STATE_HOME" -path "*/session/run/waits/*" -prune -print >../folders &&
	test_line_count = 2 ../folders &&
	find "$XDG_STATE_HOME" -path "*/session/run/waits/*" -prune ! -perm 700 -print >../open &&
	test_must_be_empty ../open &&
	: >../go &&
	flower_wait && test "$flower_code" = 0 &&
	claude_clean
'

test_expect_success LONG 'the demo' '
	git flower demo --timeout 0 demo </dev/null >demo.out &&
	test_grep reached demo.out &&
	claude_clean
'

test_done
