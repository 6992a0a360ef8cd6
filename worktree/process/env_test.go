package process

import (
	"slices"
	"strings"
	"testing"
)

func TestCleanEnvironment(t *testing.T) {
	gone := []string{
		"GIT_DIR=x", "GIT_INDEX_FILE=x", "GIT_AUTHOR_NAME=x", "GIT_CONFIG_PARAMETERS='a=b'", "GIT_CONFIG_KEY_0=core.fsmonitor",
		"GIT_SSH_COMMAND=x", "GIT_EDITOR=vim", "EDITOR=vim", "VISUAL=vim",
		"ANTHROPIC_API_KEY=sk-ant-x", "ANTHROPIC_BASE_URL=http://x", "ANTHROPIC_MODEL=m", "anthropic_auth_token=x",
		"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CONFIG_DIR=x",
		"FLOWER_ENV=x", "FLOWER_BUDGET=1", "GITHUB_TOKEN=x", "NPM_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "AWS_ACCESS_KEY_ID=x",
		"OPENAI_API_KEY=x", "MY_PASSWORD=x", "PGPASSWORD=x", "DB_PASS=x", "MYSQL_PWD=x", "GH_PAT=x", "SSH_AUTH_SOCK=x",
		"GOOGLE_APPLICATION_CREDENTIALS=x", "INNOCENT=sk-ant-api03-x", "OTHER=ghp_0123456789", "PEM=-----BEGIN RSA PRIVATE KEY-----",
		"PWD=/x", "OLDPWD=/x",
	}
	kept := []string{
		"PATH=/bin", "HOME=/home/a", "LANG=C.UTF-8", "GOFLAGS=-mod=mod", "GOPATH=/g", "LD_LIBRARY_PATH=/l", "MANPATH=/m",
		"KEYBOARD=us", "MONKEY=1", "XDG_CACHE_HOME=/c", "GIT_CONFIG_GLOBAL=/c", "GIT_CONFIG_NOSYSTEM=1", "http_proxy=http://p",
		"EMPTY=", "SHELL=/bin/sh", "FLOWER_COMMAND_0123456789abcdef=1", "VIRTUAL_ENV=/v",
	}
	env := clean(append(slices.Clone(gone), kept...), "EXTRA=1", "TERM=mine")
	for _, kv := range gone {
		if slices.Contains(env, kv) {
			t.Errorf("%s is kept", kv)
		}
	}
	for _, kv := range append(kept, "EXTRA=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0") {
		if !slices.Contains(env, kv) {
			t.Errorf("%s is missing", kv)
		}
	}
	if r := sh(t, "echo $TERM", func(c *Command) { c.Env = env }); r.Output != "mine\n" {
		t.Errorf("TERM is %q: later entries must win", r.Output)
	}
}

func TestEnvIsCleanForCommands(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-0")
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("FLOWER_ENV", "/x")
	t.Setenv("BASH_ENV", "/planted")
	t.Setenv("BASH_FUNC_git%%", "() { planted; }")
	r := sh(t, "env", nil)
	for _, word := range []string{"sk-ant", "GIT_DIR", "FLOWER_ENV", "planted"} {
		if strings.Contains(r.Output, word) {
			t.Errorf("a command sees %s", word)
		}
	}
	if !strings.Contains(r.Output, "TERM=dumb\n") {
		t.Error("TERM is not dumb")
	}
}
