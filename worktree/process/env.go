package process

import (
	"os"
	"slices"
	"strings"
)

// fixed is set in every clean environment: no pager, no editor and no prompt
// may wait for a person who is not there.
var fixed = []string{
	"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0",
	"GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true",
}

// Env returns the environment of workers' commands and checks: the caller's,
// without what ties git to a repository or an author, without credentials,
// without the variables of this program and of the models' own tools, and with
// extra added; later entries win.
//
// Credentials are told by name (TOKEN, KEY, SECRET, PASSWORD, CREDENTIAL,
// …) and by the first characters of well-known kinds of values.
func Env(extra ...string) []string {
	return clean(os.Environ(), extra...)
}

func clean(env []string, extra ...string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, value, _ := strings.Cut(kv, "=")
		return unwanted(strings.ToUpper(name)) || secret(strings.ToUpper(name), value)
	})
	env = append(env, fixed...)
	return append(env, extra...)
}

// gitKept are the GIT_ variables that say where the user's configuration and
// git's own files are; without them git in a worker's tree is another git.
var gitKept = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_ATTR_NOSYSTEM",
	"GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_ALLOW_PROTOCOL",
}

func unwanted(name string) bool {
	switch name {
	case "PWD", "OLDPWD", "SHLVL", "_", "EDITOR", "VISUAL":
		return true
	case "BASH_ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND":
		return true // a shell would run or obey them before the command
	case "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "GPG_AGENT_INFO":
		return true
	}
	if strings.HasPrefix(name, "GIT_") {
		return !slices.Contains(gitKept, name)
	}
	if strings.HasPrefix(name, "FLOWER_") {
		return !strings.HasPrefix(name, markPrefix)
	}
	return strings.HasPrefix(name, "ANTHROPIC_") || strings.HasPrefix(name, "CLAUDE") || strings.HasPrefix(name, "BASH_FUNC_")
}

var (
	secretWords = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY", "COOKIE"}
	secretEnds  = []string{"_KEY", "KEY_ID", "_PAT", "_PWD", "_PASS", "_AUTH"}
	secretKinds = []string{"sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "-----BEGIN"}
)

func secret(name, value string) bool {
	holds := func(word string) bool { return strings.Contains(name, word) }
	ends := func(word string) bool { return strings.HasSuffix(name, word) }
	begins := func(kind string) bool { return strings.HasPrefix(value, kind) }
	return slices.ContainsFunc(secretWords, holds) || slices.ContainsFunc(secretEnds, ends) ||
		slices.ContainsFunc(secretKinds, begins)
}
