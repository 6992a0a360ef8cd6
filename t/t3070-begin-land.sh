#!/bin/sh

test_description='start begins what was meant, and --land lands or tells why not'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup' '
	test_commit -C repo first &&
	{
		printf -- "- call: {tool: Bash, input: {command: \"echo made >result; sh \\\"%s/meanwhile\\\"\", description: make}}\n" "$TRASH_DIRECTORY"
		flower_report
	} | flower_script "test -f result"
'

# one_hint: ../err has exactly one hint.
one_hint () {
	grep "^hint: " ../err >../hints && test_line_count = 1 ../hints
}

test_expect_success 'without a terminal the request comes from standard input, and no editor opens' '
	cd repo &&
	echo "touch \"$TRASH_DIRECTORY/edited\"" >../editor &&
	echo "do it" | GIT_EDITOR="sh ../editor" git flower start --name piped --clarify-only --timeout 0 --rehearse >../out 2>../err &&
	test_path_missing ../edited &&
	git log --format=%B flower/run/piped >../log && grep -x "request: do it" ../log &&
	test_must_fail code=129 git flower start --rehearse </dev/null 2>../err && one_hint &&
	test "$(flower_runs)" = piped
'

test_expect_success 'an unfinished run is said, and the new one begins' '
	cd repo &&
	test_must_fail code=3 git flower start --name poor --budget 0.01 --timeout 0 --rehearse x </dev/null >../out 2>../err && one_hint &&
	git flower start --name rich --clarify-only --timeout 0 --rehearse x </dev/null >../out 2>../err &&
	grep "^note: unfinished here: poor" ../err
'

test_expect_success 'an end that is not reached lists what is missing and one hint' '
	cd repo &&
	test_must_fail code=1 git flower start --new --rounds 1 --timeout 0 --rehearse x </dev/null >../out 2>../err && one_hint &&
	grep "check 1  failed: the note says" ../out && grep "git diff .* flower/join/" ../out
'

test_expect_success 'a rehearsal is not landed by --land, and says so before and after' '
	cd repo &&
	git rev-parse HEAD >../before &&
	git flower start --new --name play --land --timeout 0 --rehearse x </dev/null >../out 2>../err &&
	grep "^  land .*git flower land --rehearsed play" ../out &&
	grep "^note: .*git flower land --rehearsed play" ../err &&
	git rev-parse HEAD >../after && test_cmp ../before ../after
'

# landing <name>: a run with a real endpoint, --land and ../meanwhile in the middle
# of its work; the code is in code.
landing () {
	echo "unset GIT_DIR; cd \"$TRASH_DIRECTORY/repo\" && { $2; } >/dev/null 2>&1" >../meanwhile &&
	flower_endpoint sk-ant-test-key-0123456789 &&
	code=0 &&
	{
		ANTHROPIC_API_KEY=sk-ant-test-key-0123456789 ANTHROPIC_BASE_URL=$(cat ../url) \
			git flower start --new --name "$1" --land --timeout 0 "do it" </dev/null >../out 2>../err || code=$?
	}
}

# not_landed <name> <words>: it is reached, the branches are where they were, and
# one hint ends in the command that lands it.
not_landed () {
	test "$code" = 2 && one_hint &&
	grep "git flower land $1\"\$" ../hints &&
	grep -e "^error: the goal is reached.*$2" ../err &&
	git flower status --porcelain "$1" | grep -x "state reached" &&
	git for-each-ref refs/heads >../after && test_cmp ../before ../after
}

test_expect_success GO 'on another branch at the end: not landed there' '
	cd repo &&
	git branch aside && git for-each-ref refs/heads >../before &&
	landing switched "git switch aside" &&
	not_landed switched "not .main." &&
	git status --porcelain >../out && test_must_be_empty ../out &&
	git switch -q main
'

test_expect_success GO 'changes that came meanwhile: not landed, and kept' '
	cd repo &&
	git for-each-ref refs/heads >../before &&
	landing dirty "echo mine >first.t" &&
	not_landed dirty "uncommitted" &&
	echo mine >../expect && test_cmp ../expect first.t &&
	git checkout -q first.t
'

test_expect_success GO 'no branch at the end: not landed' '
	cd repo &&
	landing detached "git checkout -q --detach" &&
	not_landed detached "no branch" &&
	git switch -q main
'

test_expect_success GO 'a conflict: not landed, and settled by hand' '
	cd repo &&
	git branch -f aside && git switch -q aside &&
	landing conflict "echo mine >result; git add result; git commit -q -m mine" &&
	git for-each-ref refs/heads >../before &&
	not_landed conflict "conflict" &&
	git status --porcelain >../out && test_must_be_empty ../out &&
	git switch -q main
'

test_expect_success GO 'a branch that moved on: landed by a merge' '
	cd repo &&
	landing moved "echo mine >mine; git add mine; git commit -q -m mine" &&
	test "$code" = 0 && test_must_be_empty ../err &&
	grep "^  model .*key from the environment" ../out && test_expect_code 1 grep sk-ant ../out &&
	grep "^  land .*main" ../out &&
	git merge-base --is-ancestor flower/join/moved main && test_path_exists mine && test_path_exists result
'

test_done
