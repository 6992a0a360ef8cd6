#!/bin/sh

test_description='a rehearsed run in any repository'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"
unset GIT_FLOWER_FENCE

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup: a repository with work going on' '
	git init repo &&
	(
		cd repo &&
		test_commit one &&
		echo changed >one.t &&
		echo new >untracked &&
		git status --porcelain >../before &&
		git rev-parse HEAD >../head
	)
'

test_expect_success 'it runs to its end' '
	cd repo &&
	flower_start "write something, anything"
'

test_expect_success 'its records tell the story' '
	cd repo &&
	cat >expect <<-\END &&
	request
	session
	question
	answer
	brief
	session
	goal
	session
	session
	report
	step
	verdict
	session
	report
	step
	verdict
	end
	END
	flower_kinds >actual &&
	test_cmp expect actual &&
	rm expect actual
'

test_expect_success 'the check failed in round one and passed in round two' '
	cd repo &&
	git log --reverse --format="%(trailers:key=Flower-State,valueonly)" --grep "^verdict:" "flower/run/$(flower_run)" >../states &&
	grep -v "^\$" ../states >../actual &&
	printf "not-yet\nreached\n" >../expect &&
	test_cmp ../expect ../actual
'

test_expect_success 'one file was added, on the join' '
	cd repo &&
	git diff --name-status "flower/base/$(flower_run)" "flower/join/$(flower_run)" >../actual &&
	test_line_count = 1 ../actual &&
	grep "^A.rehearsal-" ../actual
'

test_expect_success 'the checkout, its branch and its index are as they were' '
	cd repo &&
	git status --porcelain >../after &&
	test_cmp ../before ../after &&
	git rev-parse HEAD >../after &&
	test_cmp ../head ../after &&
	git branch --list >../after &&
	test_line_count = 1 ../after &&
	test ! -e .git/worktrees
'

test_expect_success 'the first record says that it was rehearsed' '
	cd repo &&
	root=$(git rev-list --max-parents=0 "flower/run/$(flower_run)") &&
	git log -1 --format=%B "$root" | grep "Flower-Rehearsed: "
'

test_expect_success 'a rehearsal is landed with --rehearsed only' '
	cd repo &&
	git stash -q &&
	test_must_fail code=128 git flower land &&
	git rev-parse HEAD >../after &&
	test_cmp ../head ../after &&
	git flower land --rehearsed &&
	test -f rehearsal-*.md &&
	git stash pop
'

test_expect_success 'what the branch has already is not offered for landing' '
	cd repo &&
	git flower resume >../resumed &&
	git flower status >../out && git flower status "$(flower_run)" >>../out &&
	for file in ../resumed ../out
	do
		test_grep ! "git flower land" "$file" &&
		test_grep "has the result already" "$file" || return 1
	done &&
	test_grep ! "^  model" ../resumed
'

test_expect_success 'status, log, show and fsck read it, also as JSON' '
	cd repo &&
	git flower >../out && grep reached ../out &&
	git flower status --json >../out && grep "\"reached\"" ../out &&
	git flower log --json >../out && test_line_count = 17 ../out &&
	git flower show brief >../out && grep "Goal" ../out &&
	git flower show goal >../out && grep "grep -q" ../out &&
	git flower show verdict >../out && grep reached ../out &&
	git flower show report >../out && grep Conclusion ../out &&
	git flower show ledger >../out && test -s ../out &&
	git flower show lineage >../out && test -s ../out &&
	test_must_fail code=1 git flower show handoff
'

test_expect_success 'events are JSON lines' '
	cd repo &&
	git flower start --new --rehearse --timeout 0 --json "once more" >../out </dev/null &&
	grep "^{.*\"kind\":\"end\".*}\$" ../out &&
	! grep -v "^{.*}\$" ../out
'

test_expect_success 'two runs of the same request have names of their own' '
	cd repo &&
	git flower start --new --rehearse --timeout 0 "once more" >../out </dev/null &&
	flower_runs >../runs &&
	test_line_count = 3 ../runs &&
	grep "^once-more-2\$" ../runs
'

test_expect_success 'equal runs have equal canonical histories' '
	cd repo &&
	flower_canonical once-more >../a &&
	flower_canonical once-more-2 >../b &&
	sed s/once-more-2/once-more/g ../b >../c &&
	test -s ../a &&
	test_cmp ../a ../c
'

test_done
