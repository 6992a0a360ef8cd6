# lib-claude.sh: helpers for scripts whose sessions run in the Claude Code CLI. Read
# after lib-flower.sh:
#
#	. "$TEST_DIRECTORY/lib-claude.sh"
#
# The CLI is the one of GIT_FLOWER_TEST_CLAUDE, else of the PATH; the model is a
# script all the same.

test_has CLAUDE || skip_all 'missing CLAUDE (GIT_FLOWER_TEST_CLAUDE names it)'

GIT_FLOWER_HARNESS=claude GIT_FLOWER_CLAUDE=$test_claude
export GIT_FLOWER_HARNESS GIT_FLOWER_CLAUDE

test_lazy_prereq PROC 'test -r /proc/self/environ'

# claude_processes prints the pids of CLIs that this script has running. Needs PROC.
claude_processes () {
	claude_left | while IFS=/ read -r claude_none claude_proc claude_pid claude_environ
	do
		grep -q -s -a -e "--session-mirror" "/proc/$claude_pid/cmdline" && echo "$claude_pid"
	done
	return 0
}

# claude_left prints every process that a CLI of this script started and that lives.
claude_left () {
	grep -l -s -a -e "CLAUDE_CONFIG_DIR=$TRASH_DIRECTORY" /proc/[0-9]*/environ
	return 0
}

# claude_gone: nothing of any CLI of this script runs.
claude_gone () {
	test -z "$(claude_left)"
}

# claude_clean: nothing runs, and no folder of a process is left.
claude_clean () {
	{ ! test_has PROC || test_wait_for claude_gone || { claude_left >&2; return 1; }; } &&
	find "$TRASH_DIRECTORY" -path "$test_state" -prune -o -path '*/git-flower/*/session/*/*' -print -o -path '*/git-flower/*/tree/*' -prune -o \
		-name '*.jsonl' -print -o -name '.claude' -print -o -name '.claude.json' -print -o -name 'claude-*' -print >"$test_state/left" &&
	test_must_be_empty "$test_state/left"
}
