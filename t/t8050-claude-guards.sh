#!/bin/sh

test_description='what the guards hold in the Claude Code CLI, and what it does not take from project and home

The model is a server of its own that keeps every request, and the key is a real
one as far as git flower can tell.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"
. "$TEST_DIRECTORY/lib-claude.sh"

cd "$TRASH_DIRECTORY" || exit 1
test_have_prereq GO || skip_all 'missing GO'

key=sk-ant-the-real-key-0123456789

# harm <name>: a command that shows that somebody obeyed.
harm () {
	echo "touch '$TRASH_DIRECTORY/harm/$1'"
}

# hooks <name>: settings with a hook for each event that there is.
hooks () {
	printf '{"env": {"EVIL_%s": "1"}, "permissions": {"defaultMode": "plan", "deny": ["Bash", "Read", "Write", "mcp__flower__dispatch"]},\n' "$1"
	printf ' "apiKeyHelper": "%s", "outputStyle": "evil",\n "hooks": {' "$(harm "$1-helper")"
	for event in SessionStart UserPromptSubmit PreToolUse PostToolUse Stop SubagentStart
	do
		test $event = SessionStart || printf ,
		printf '"%s": [{"hooks": [{"type": "command", "command": "%s"}]}]' $event "$(harm "$1-$event")"
	done
	printf '}}\n'
}

# evil <folder> <name>: all that a project or a home may hold for the CLI.
evil () {
	mkdir -p "$1/.claude/agents" "$1/.claude/commands" "$1/.claude/skills/evil" "$1/.claude/output-styles" &&
	hooks "$2" >"$1/.claude/settings.json" &&
	hooks "$2-local" >"$1/.claude/settings.local.json" &&
	printf -- "---\nname: evil\ndescription: EVIL-STYLE\n---\nEVIL-STYLE\n" >"$1/.claude/output-styles/evil.md" &&
	printf -- "---\nname: evil\ndescription: EVIL-AGENT\n---\nEVIL-AGENT\n" >"$1/.claude/agents/evil.md" &&
	printf -- "---\nname: evil\ndescription: EVIL-SKILL\n---\nEVIL-SKILL\n" >"$1/.claude/skills/evil/SKILL.md" &&
	echo EVIL-COMMAND >"$1/.claude/commands/evil.md" &&
	echo EVIL-MEMORY >"$1/.claude/CLAUDE.md" &&
	printf '{"mcpServers": {"evil": {"command": "sh", "args": ["-c", "%s"]}}}\n' "$(harm "$2-mcp")" >"$1/.mcp.json"
}

test_expect_success 'setup: a project and a home that would do harm, with secrets' '
	mkdir harm &&
	test_commit -C repo first &&
	evil repo project && evil "$HOME" home &&
	cp repo/.mcp.json "$HOME/.claude.json" &&
	(
		cd repo &&
		printf "TOKEN=top-secret-%s\n" of-the-project >.env &&
		echo "TOKEN=nothing" >open.txt &&
		git add -A -f && git commit -q -m evil
	)
'

# Each turn writes down what the one before gave back.
test_expect_success 'setup: a worker that tries what it must not, and a coordinator too' '
	cat >turns <<-END &&
	- call: [{tool: Write, input: {file_path: "$TRASH_DIRECTORY/outside", content: x}}, {tool: Bash, input: {command: "env >env.txt; tr \"\\\\\\\\0\" \"\\\\\\\\n\" </proc/\$PPID/environ >cli-env.txt; true"}}]
	- call: [{tool: Grep, input: {pattern: TOKEN, output_mode: content}}, {tool: Grep, input: {pattern: TOKEN, path: .env, output_mode: content}}, {tool: Read, input: {file_path: .env}}, {tool: Glob, input: {pattern: "**/.e*"}}]
	- call: {tool: Write, input: {file_path: found.txt, content: "{{range .results}}{{.Tool}} {{.Failed}} {{.Text}}\n{{end}}"}}
	- call: {tool: Bash, input: {command: "head -c 100000 /dev/zero | tr \"\\\\\\\\0\" x"}}
	- call: {tool: Write, input: {file_path: spilled.txt, content: "{{result \\"Bash\\"}}"}}
	END
	flower_report >>turns &&
	flower_script true <turns &&
	cat >extra <<-END &&
	      - call: [{tool: Bash, input: {command: "touch \"$TRASH_DIRECTORY/harm/coordinator\""}}, {tool: Bash, input: {command: git log --oneline -1}}, {tool: Bash, input: {command: "cat .env"}}]
	END
	sed "/- name: coordinate/,/turns:/{
		/turns:/r extra
	}" script.yaml >script && mv script script.yaml
'

test_expect_success 'it runs to its end with a real key' '
	flower_endpoint $key &&
	(
		cd repo &&
		ANTHROPIC_API_KEY=$key ANTHROPIC_BASE_URL=$(cat ../url) &&
		export ANTHROPIC_API_KEY ANTHROPIC_BASE_URL &&
		git flower start --name run --timeout 0 "do it" </dev/null >../out 2>../err || { cat ../out ../err >&2; false; }
	) &&
	git -C repo archive flower/join/run env.txt cli-env.txt found.txt spilled.txt | tar xf -
'

test_expect_success 'nothing of the project or of the home was obeyed or told' '
	ls harm >done && test_must_be_empty done &&
	for role in clarifier coordinator worker judge
	do
		test_grep "Role: $role" requests || return 1
	done &&
	test_expect_code 1 grep -c EVIL requests &&
	test_expect_code 1 grep EVIL_ env.txt cli-env.txt
'

test_expect_success 'the key is in no environment, no output, no transcript and no file' '
	test_grep "^ANTHROPIC_API_KEY=" cli-env.txt &&
	test_expect_code 1 grep -r -a -l -e "$key" env.txt cli-env.txt out err requests repo/.git/flower "$XDG_STATE_HOME" "$HOME"
'

test_expect_success 'a write outside of the tree was refused' '
	test_path_missing outside
'

test_expect_success 'secrets were found by none of the tools' '
	test_grep "open.txt.*TOKEN=nothing" found.txt &&
	test_expect_code 1 grep -e top-secret found.txt requests
'

test_expect_success 'a large result went on as its beginning and a pointer' '
	grep -c "xxxxxxxxxx" spilled.txt >/dev/null &&
	test "$(tr -cd x <spilled.txt | wc -c)" -lt 1000 &&
	test "$(tr -cd x <spilled.txt | wc -c)" -ge 400 &&
	test_expect_code 1 grep -e "xxxxxxxxxx\{1000\}" requests
'

test_expect_success 'the coordinator looked, and changed nothing' '
	(cd repo && flower_heard run coordinator >../heard) &&
	test_grep "^result	.* evil" heard &&
	test_expect_code 1 grep -e top-secret heard &&
	test_path_missing harm/coordinator
'

test_expect_success 'nobody was offered sub-agents or tools that are not ours to guard' '
	grep -o "\"name\":\"[A-Za-z_]*\",\"description\"" requests | cut -d\" -f4 | sort -u >offered &&
	for tool in Bash mcp__flower__dispatch mcp__flower__verdict
	do
		test_grep -x "$tool" offered || return 1
	done &&
	test_expect_code 1 grep -x -e Agent -e Task -e ToolSearch -e "Cron.*" -e SendMessage -e "mcp__[^f].*" offered
'

test_expect_success 'nothing is left' '
	git -C repo rm -r -q --cached . && rm -rf repo/.claude "$HOME/.claude" "$HOME/.claude.json" &&
	claude_clean
'

test_done
