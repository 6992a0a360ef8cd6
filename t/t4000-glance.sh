#!/bin/sh

test_description='what a coordinator may run, as the guards tell it'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

corpora=$TEST_DIRECTORY/../guards/testdata

test_lazy_prereq JQ 'command -v jq'

test_expect_success 'a line for each command, in order' '
	printf "%s\0" "git status" "touch pwned" "git status -s && echo --- && git log --oneline -5" "ls
touch pwned" >commands &&
	git flower guard glance -z <commands >out &&
	cut -f1 out >actual &&
	printf "%s\n" yes no yes no >expect &&
	test_cmp expect actual &&
	sed -n 2p out >second && test_grep touch second &&
	test ! -e pwned
'

for corpus in shell ephemeral
do
	test_expect_success JQ "every row of $corpus gets its answer" '
		jq -j "select(.cmd | explode | all(. > 0)) | .cmd + \"\\u0000\"" "$corpora/'$corpus'.jsonl" >commands &&
		jq -r "select(.cmd | explode | all(. > 0)) | if .glance then \"yes\" else \"no\" end" "$corpora/'$corpus'.jsonl" >expect &&
		test_line_count -gt 100 expect &&
		git flower guard glance -z <commands >out &&
		cut -f1 out >actual &&
		test_cmp expect actual
	'
done

test_expect_success 'a call is decided for its role' '
	cat >calls <<-\EOF &&
	{"role":"coordinator","tool":"Bash","input":{"command":"git log -1"}}
	{"role":"coordinator","tool":"Bash","input":{"command":"git commit -m x"}}
	{"role":"coordinator","tool":"Bash","input":{"command":"cat .env"}}
	{"role":"coordinator","tool":"Write","input":{"file_path":"x"}}
	{"role":"worker","tool":"Write","input":{"file_path":"x"}}
	{"role":"worker","tool":"Write","input":{"file_path":"../x"}}
	no call
	EOF
	git flower guard call <calls >out &&
	sed "s/\(true\|false\).*/\1/" out >actual &&
	for allow in true false false false true false false
	do
		echo "{\"allow\":$allow" || return 1
	done >expect &&
	test_cmp expect actual
'

test_expect_success 'a path is judged by where it leads, as in a session' '
	mkdir outside tree && echo x >outside/f && ln -s ../outside tree/out && ln -s f tree/in && echo x >tree/f &&
	ln outside/f tree/twice && ln -s .env tree/plain && echo x >tree/.env &&
	for file in f in new out/f out/new twice plain
	do
		echo "{\"role\":\"worker\",\"tool\":\"Write\",\"input\":{\"file_path\":\"$file\"},\"dir\":\"$PWD/tree\"}" || return 1
	done >calls &&
	git flower guard call <calls >out &&
	sed "s/\(true\|false\).*/\1/" out >actual &&
	for allow in true true true false false false false
	do
		echo "{\"allow\":$allow" || return 1
	done >expect &&
	test_cmp expect actual
'

test_expect_success 'a look in another folder runs what was shown' '
	mkdir docs && echo x >docs/a && git add docs && git commit -q -m docs &&
	echo "{\"role\":\"coordinator\",\"tool\":\"Bash\",\"input\":{\"command\":\"git -C docs status -s\"},\"dir\":\"$PWD\"}" >call &&
	git flower guard call <call >out &&
	test_grep "\"allow\":true" out && test_grep "work-tree" out
'

test_expect_success 'it is called with what to judge' '
	test_must_fail code=129 git flower guard 2>err && test_grep hint: err &&
	test_must_fail code=129 git flower guard look 2>err
'

test_done
