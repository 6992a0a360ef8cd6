#!/bin/sh
test_description='options of start and resume, and where their values come from'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

# refused <words> <command>...: fatal, with a hint, and no run was begun.
refused () {
	words=$1 && shift &&
	flower_runs >../runs-before &&
	test_must_fail code=128 "$@" </dev/null >../out 2>../err &&
	test_grep "$words" ../err &&
	test_grep "^hint: " ../err &&
	flower_runs >../runs-after &&
	test_cmp ../runs-before ../runs-after
}

# there <command of git flower>...: in the other clone, as on another machine.
there () {
	(
		XDG_STATE_HOME="$TRASH_DIRECTORY/state there" && export XDG_STATE_HOME &&
		git -C "$TRASH_DIRECTORY/other" flower "$@" </dev/null >"$TRASH_DIRECTORY/out" 2>"$TRASH_DIRECTORY/err"
	)
}

test_expect_success 'setup' '
	test_commit base
'

test_expect_success 'a wrong value names where it stands' '
	refused "option .--rounds.: .none." git flower start --rehearse --rounds none "do it" &&
	refused "GIT_FLOWER_JOBS" env GIT_FLOWER_JOBS=many git flower start --rehearse "do it" &&
	refused "flower.judgecanrun in command line" git -c flower.judgeCanRun=perhaps flower start --rehearse "do it" &&
	git config flower.budget free &&
	test_when_finished "git config --unset flower.budget" &&
	refused "flower.budget in .git/config" git flower start --rehearse "do it"
'

test_expect_success 'includes and the configuration of a worktree count' '
	test_when_finished "git config --unset include.path && git config --unset extensions.worktreeConfig && rm .git/config.worktree" &&
	printf "[flower]\n\trounds = some\n" >.git/included &&
	git config include.path included &&
	refused "flower.rounds in .git/included" git flower start --rehearse "do it" &&
	printf "[flower]\n\trounds = 3\n" >.git/included &&
	git config extensions.worktreeConfig true &&
	git config --worktree flower.asks few &&
	refused "flower.asks in .git/config.worktree" git flower start --rehearse "do it"
'

test_expect_success 'what does not exist is refused' '
	refused "no absolute path" git -c flower.claude=claude-1 flower start --rehearse --harness claude "do it" &&
	refused "/nowhere/claude" git -c flower.claude=/nowhere/claude flower start --rehearse --harness claude "do it" &&
	refused "compacts" git -c flower.handoff=no flower start --rehearse "do it"
'

test_expect_success 'an option beats the environment, which beats the configuration' '
	test_when_finished "git config --unset flower.clarifyOnly" &&
	git config flower.clarifyOnly true &&
	flower_start --name key "do it" &&
	test_expect_code 1 flower_count verdict key &&
	GIT_FLOWER_CLARIFY_ONLY=no flower_start --name variable "do it" &&
	test "$(flower_count verdict variable)" -ge 1 &&
	GIT_FLOWER_CLARIFY_ONLY=no flower_start --clarify-only --name option "do it" &&
	test_expect_code 1 flower_count verdict option
'

test_expect_success 'the limits that were given stand in the first record' '
	flower_start --clarify-only --budget 2.5 --rounds 4 --model x --name limits "do it" &&
	git log --format="%(trailers:key=Flower-Options,valueonly,separator=)" --max-parents=0 flower/run/limits >actual &&
	echo "rounds=4 budget=2.500000 clarify-only=yes" >expect &&
	test_cmp expect actual &&
	git log --format="%(trailers:key=Flower-Options,valueonly,separator=)" --max-parents=0 flower/run/variable >actual &&
	echo >expect &&
	test_cmp expect actual
'

test_expect_success 'they hold on in another clone, and never raise its budget' '
	flower_start --clarify-only --budget 500 --name large "do it" &&
	git init -q --bare ../origin.git &&
	git push -q ../origin.git HEAD "refs/flower/*:refs/flower/*" &&
	git clone -q ../origin.git ../other &&
	git -C ../other fetch -q origin "refs/flower/*:refs/flower/*" &&
	there resume limits --rehearse --clarify-again -m more &&
	test_grep "budget  2.50 USD" ../out &&
	test_grep "options   rounds=4 budget=2.500000 clarify-only=yes" ../out &&
	(cd ../other && test_expect_code 1 flower_count verdict limits) &&
	there resume large --rehearse --clarify-again -m more &&
	test_grep "budget  25.00 USD" ../out &&
	test_grep "begun with a budget of 500.00 USD" ../err &&
	there resume large --rehearse --clarify-again --budget 600 -m again &&
	test_grep "budget  600.00 USD" ../out &&
	git flower resume large --rehearse --clarify-again -m more </dev/null >../out 2>../err &&
	test_grep "budget  500.00 USD" ../out
'

test_expect_success 'the judge gets a shell when asked' '
	flower_start --judge-can-run --name judged "do it" &&
	test "$(flower_count verdict judged)" -ge 1
'

test_done
