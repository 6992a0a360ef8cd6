#!/bin/sh

test_description='what the README promises'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"
unset GIT_FLOWER_FENCE

cd "$TRASH_DIRECTORY" || exit 1

readme=$TEST_DIRECTORY/../README.md

test_expect_success 'every command it shows exists' '
	sed -n "s/^ *git flower \([a-z][a-z]*\).*/\1/p" "$readme" | sort -u >commands &&
	test_line_count -ge 6 commands &&
	while read -r name
	do
		git flower $name -h >out || return 1
	done <commands
'

test_expect_success 'every option it shows exists' '
	grep -o "git flower [a-z]* [^\`]*--[a-z-]*" "$readme" >uses &&
	while read -r git flower name rest
	do
		option=$(echo "$rest" | grep -o -e "--[a-z-]*") &&
		git flower $name -h >out && grep -e "$option" out || return 1
	done <uses &&
	git flower start -h >out && grep -e "--budget" out && grep -e "--timeout" out
'

test_expect_success 'every file it names is there' '
	grep -o "\`[a-zA-Z/]*\.\(md\|go\)\`" "$readme" | tr -d "\`" >files &&
	test_line_count -ge 5 files &&
	while read -r name
	do
		test -f "$TEST_DIRECTORY/../$name" || return 1
	done <files
'

test_expect_success 'the exit codes it lists are those of the manual' '
	for code in 0 1 2 3 75 128 129 130
	do
		grep -q "[ (]$code[ ,]" "$readme" && git flower help start >out && grep "^ *$code " out || return 1
	done
'

test_expect_success 'the budget is 25 US dollars unless said otherwise, and is told' '
	test_commit -C repo first && cd repo &&
	flower_start "anything" && grep "25.00 USD" ../start.out
'

test_expect_success 'it touches what it says, and nothing else' '
	cd repo &&
	git status --porcelain >../out && test_must_be_empty ../out &&
	git for-each-ref --format="%(refname)" >../refs &&
	test_expect_code 1 grep -v -e "^refs/heads/main\$" -e "^refs/flower/" ../refs &&
	ls .git >../gitdir && test_expect_code 1 grep -v -x -e branches -e COMMIT_EDITMSG -e config -e description -e HEAD -e hooks -e index -e info -e logs -e objects -e refs -e flower ../gitdir &&
	ls "$XDG_STATE_HOME" >../state && echo git-flower >../expect && test_cmp ../expect ../state
'

test_expect_success 'it says what fence there is' '
	grep "^  fence  *[A-Zn]" start.out
'

test_done
