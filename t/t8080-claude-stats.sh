#!/bin/sh

test_description='stats of a run in the Claude Code CLI are those of one in our own loop

One script is played in both: a worker writes a script and runs it, is refused a file
outside, and makes a long result; a round is judged.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"
. "$TEST_DIRECTORY/lib-claude.sh"

# counts <run>: what is counted of it, a role on each line.
counts () {
	git flower stats --json "$1" >../json &&
	sed -e "s/.*\"roles\":\[//" -e "s/\],\"total\".*//" -e "s/{\"role\"/\n&/g" ../json |
	sed -n "s/^{\"role\":\"\([a-z]*\)\".*\"turns\":\([0-9]*\),\"characters\":\([0-9]*\),\(\"calls\":.*\)/\1 turns \2 \4/p" >"../$1.counts" &&
	sed -e "s/.*\"roles\":\[//" -e "s/\],\"total\".*//" -e "s/{\"role\"/\n&/g" ../json |
	sed -n "s/^{\"role\":\"\([a-z]*\)\".*\"characters\":\([0-9]*\),.*/\1 \2/p" >"../$1.characters" &&
	sed "s/.*\"scripts\"/scripts/;s/,\"missing.*//" ../json >"../$1.scripts"
}

test_expect_success 'setup: one script in both' '
	test_commit first &&
	flower_script "test -f done" <<-END &&
	- call: {tool: Write, input: {file_path: "{{.cap.bench}}/scripts/make.sh", content: "# desc: makes it\ntouch done\n"}}
	- call: {tool: Bash, input: {command: "sh \"{{.cap.bench}}/scripts/make.sh\" && sh \"{{.cap.bench}}/scripts/make.sh\""}}
	- call: {tool: Write, input: {file_path: "/etc/flower", content: "no"}}
	- call: {tool: Bash, input: {command: "head -c 5000 /dev/zero | tr \"\\\\0\" x"}}
	$(flower_report)
	END
	sed "s/own at (?P<dir>.+), at the result so far\"/own at (?P<dir>.+), at the result so far.*The bench at (?P<bench>[^ ]+(?: [^ ]+)*?) is shared\"/" ../script.yaml >../with-bench &&
	mv ../with-bench ../script.yaml &&
	flower_play --harness messages --name ours "do it" && test "$flower_code" = 0 &&
	flower_play --new --harness claude --name theirs "do it" && test "$flower_code" = 0
'

test_expect_success 'turns, calls by tool, refusals, glances, spills and tasks are the same' '
	counts ours && counts theirs &&
	test_line_count = 4 ../ours.counts && test_cmp ../ours.counts ../theirs.counts
'

# What a tool says that it did is in words of the CLI's own there, and so is a refusal.
test_expect_success 'characters differ by a seventh at most' '
	paste -d " " ../ours.characters ../theirs.characters >../both && test_line_count = 4 ../both &&
	awk "{d = \$2 - \$4; if (\$1 != \$3 || \$2 < 100 || 7 * d > \$2 || -7 * d > \$2) {print; bad = 1}} END {exit bad}" ../both
'

test_expect_success 'so are the scripts' '
	test_grep "make.sh.*\"written\":1,\"runs\":2" ../ours.scripts &&
	test_cmp ../ours.scripts ../theirs.scripts
'
test_done
