#!/bin/sh

test_description='flower.setup prepares each new tree of a worker'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"
unset GIT_FLOWER_FENCE

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup' '
	git init work && cd work &&
	echo "deps/" >.gitignore && git add .gitignore && git commit -q -m first && cd .. &&
	flower_script "test -f made && test -f deps/tool" <<-END
	- call: {tool: Bash, input: {command: "cat deps/tool >made", description: use it}}
	$(flower_report)
	END
'

test_expect_success 'worker and check find what it made, and none of it is in the result' '
	cd work &&
	git config flower.setup "mkdir -p deps && echo tool >deps/tool; echo stray >stray" &&
	flower_play --name ready "make it" && test "$flower_code" = 0 &&
	git ls-tree -r --name-only flower/join/ready >../actual && cd .. &&
	printf ".gitignore\nmade\n" >expect && test_cmp expect actual
'

test_expect_success 'one that fails is a record, and the run goes on' '
	cd work &&
	git config flower.setup "echo no registry; exit 3" &&
	flower_play --new --name bad "make it" &&
	test "$flower_code" != 128 &&
	git log --format=%B --grep "^notice:" flower/run/bad >../notices && cd .. &&
	test_grep "no registry" notices && test_grep "exit code 3" notices &&
	test_grep "setup of the tree of coder-1" start.out
'

test_expect_success 'it does not travel' '
	git -C work log -p --format=%B flower/run/ready >all &&
	test_grep ! "mkdir -p deps" all
'

test_done
