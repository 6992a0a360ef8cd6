#!/bin/sh

test_description='credentials: found as a set, never shown to workers, refused before anything is written'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'without a key: one message that names every place, and nothing is written' '
	test_commit -C repo first && cd repo &&
	test_must_fail code=128 git flower start "do it" 2>../err &&
	for place in "environment" FLOWER_ENV "/.env" "git-flower/.env" "flower/.env" ".claude/settings.json" "ANTHROPIC_API_KEY" "--rehearse"
	do
		grep -e "$place" ../err || return 1
	done &&
	git for-each-ref refs/flower >../out && test_must_be_empty ../out &&
	test ! -e .git/flower/run
'

test_expect_success 'setup: what the endpoint plays' '
	{
		printf -- "- call: {tool: Bash, input: {command: \"env >seen-by-worker\", description: look}}\n"
		flower_report
	} | flower_script true
'

test_expect_success GO 'a key and an address in the environment drive a real run; workers do not see them' '
	flower_endpoint sk-ant-test-key-0123456789 &&
	(
		cd repo &&
		ANTHROPIC_API_KEY=sk-ant-test-key-0123456789 ANTHROPIC_BASE_URL=$(cat ../url) &&
		export ANTHROPIC_API_KEY ANTHROPIC_BASE_URL &&
		git flower start --name real --timeout 0 "do it" </dev/null >../out
	) &&
	(cd repo && test "$(flower_count end real)" = 1) &&
	git -C repo show flower/join/real:seen-by-worker >seen && grep "^PATH=" seen &&
	test_expect_code 1 grep ANTHROPIC seen &&
	test_expect_code 1 grep -r -a "sk-ant-test-key" repo/.git/flower "$XDG_STATE_HOME" out &&
	test_expect_code 1 grep "Rehearsed" out
'

test_expect_success GO 'a gateway with a token, from ~/.config/git-flower/.env' '
	flower_endpoint token-of-a-gateway &&
	mkdir -p "$XDG_CONFIG_HOME/git-flower" &&
	printf "export ANTHROPIC_AUTH_TOKEN=\"token-of-a-gateway\"\nANTHROPIC_BASE_URL=%s # ours\n" "$(cat url)" >"$XDG_CONFIG_HOME/git-flower/.env" &&
	(
		cd repo &&
		git flower start --new --name gateway --timeout 0 "do it" </dev/null >../out
	) &&
	rm "$XDG_CONFIG_HOME/git-flower/.env"
'

test_expect_success GO 'a wrong key ends it in no time, resumable' '
	flower_endpoint right-key-0123456789 &&
	(
		cd repo &&
		ANTHROPIC_API_KEY=wrong-key-0123456789 ANTHROPIC_BASE_URL=$(cat ../url) &&
		export ANTHROPIC_API_KEY ANTHROPIC_BASE_URL &&
		test_must_fail code=128 git flower start --new --name wrong --timeout 0 "do it" </dev/null 2>../err &&
		test_expect_code 1 grep "wrong-key" ../err &&
		ANTHROPIC_API_KEY=right-key-0123456789 &&
		git flower resume wrong </dev/null >../out
	)
'

test_expect_success GO 'a model without a known window or price is refused before anything is written' '
	flower_endpoint right-key-0123456789 &&
	(
		cd repo &&
		ANTHROPIC_API_KEY=right-key-0123456789 ANTHROPIC_BASE_URL=$(cat ../url) ANTHROPIC_MODEL=strange-1 &&
		export ANTHROPIC_API_KEY ANTHROPIC_BASE_URL ANTHROPIC_MODEL &&
		test_must_fail code=128 git flower start --new --name strange "do it" </dev/null 2>../err && grep -e "--window" ../err &&
		test_must_fail code=128 git flower start --new --name strange --window 100000 "do it" </dev/null 2>../err && grep -e "--budget none" ../err &&
		test_must_fail git rev-parse --verify refs/flower/run/strange &&
		git flower start --new --name strange --window 100000 --budget none --timeout 0 "do it" </dev/null >../out
	)
'

test_expect_success 'a tracked .env is never used' '
	cd repo &&
	echo "ANTHROPIC_API_KEY=sk-ant-from-the-repository" >.env && git add -f .env && git commit -qm env &&
	test_must_fail code=128 git flower start --new "do it" 2>../err &&
	grep "tracks it" ../err &&
	test_expect_code 1 grep "sk-ant-from" ../err &&
	git rm -q --cached .env && rm .env && git commit -qm "no env"
'

test_done
