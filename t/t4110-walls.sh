#!/bin/sh

test_description='what the walls hold a worker to, seen from outside'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

# tool <name> <key> <value> [<key> <value>]: a call of a script
tool () {
	printf -- '- call:\n    tool: %s\n    input:\n' "$1"
	shift
	while test $# -gt 0
	do
		printf "      %s: '%s'\n" "$1" "$2"
		shift 2
	done
}

# worker <name>: a run whose worker makes the calls on standard input and reports
worker () {
	{ cat && flower_report; } | flower_script true &&
	(
		cd repo &&
		flower_play --new --name "$1" "do it" &&
		test "$flower_code" = 0
	) || {
		cat start.out start.err
		return 1
	}
}

test_expect_success SYMLINKS 'setup' '
	mkdir outside && echo precious >outside/victim &&
	test_commit -C repo first &&
	ln -s "$PWD/outside" repo/out &&
	echo TOKEN=hunter2 >repo/.env && ln -s .env repo/plain &&
	git -C repo add -A -f && git -C repo commit -q -m links
'

test_expect_success SYMLINKS 'file tools do not leave the tree, and secrets stay closed' '
	{
		tool Write file_path out/new content x &&
		tool Write file_path "$PWD/outside/new" content x &&
		tool Read file_path out/victim &&
		tool Read file_path .env &&
		tool Read file_path plain &&
		tool Read file_path /proc/self/environ &&
		tool Grep pattern TOKEN output_mode content &&
		tool Write file_path inside content fine
	} | worker walls &&
	test "$(ls outside)" = victim && test "$(cat outside/victim)" = precious &&
	git -C repo show flower/join/walls:inside >actual && printf fine >expect && test_cmp expect actual &&
	cat start.out start.err >told &&
	grep -c "denied:" told >actual && echo 6 >expect && test_cmp expect actual &&
	test_grep ! hunter2 told
'

test_expect_success SYMLINKS 'a long result goes to the bench, whole' '
	tool Bash command "seq 3000" | worker spill &&
	find "$TRASH_DIRECTORY" -path "*/spill/*.txt" >spilled &&
	test_line_count = 1 spilled &&
	seq 3000 >expect && { cat "$(cat spilled)" && echo; } >actual && test_cmp expect actual
'

test_done
