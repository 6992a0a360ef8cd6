package guards

import (
	"slices"
	"strconv"
	"strings"
)

// lookSettings keep programs from what they do beside looking: git from writing
// its index, fetching what a partial clone lacks, asking for passwords; Go from
// fetching a toolchain that a go.mod names, and from leaving a process that sums
// up its counters; pip from asking for its own version.
var lookSettings = []string{"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "PAGER=cat",
	"MANPAGER=cat", "SYSTEMD_PAGER=cat", "GOTOOLCHAIN=local", "GOPROXY=off", "X_TELEMETRY_CHILD=2", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INPUT=1"}

// lookConfig is configuration of git that starts nothing: no daemon that watches
// files, no browser for help, no repository that lies about as plain files. And
// git diff writes the index when a file was touched, whatever is said of locks
// (git 2.39), unless it is told to show such a file as one without differences.
var lookConfig = [][2]string{{"core.fsmonitor", "false"}, {"help.format", "man"}, {"safe.bareRepository", "explicit"}, {"diff.autoRefreshIndex", "false"}}

// LookEnv returns the environment in which the printed text of a glance is to
// run, made from the one that the role's commands have.
func LookEnv(env []string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(s string) bool {
		return slices.ContainsFunc(lookSettings, func(set string) bool { return name(s) == name(set) })
	})
	out = append(out, lookSettings...)
	count := 0
	out = slices.DeleteFunc(out, func(s string) bool {
		if name(s) != "GIT_CONFIG_COUNT" {
			return false
		}
		if n, err := strconv.Atoi(s[len("GIT_CONFIG_COUNT="):]); err == nil && n > 0 {
			count = n
		}
		return true
	})
	for _, pair := range lookConfig {
		n := strconv.Itoa(count)
		out = append(out, "GIT_CONFIG_KEY_"+n+"="+pair[0], "GIT_CONFIG_VALUE_"+n+"="+pair[1])
		count++
	}
	return append(out, "GIT_CONFIG_COUNT="+strconv.Itoa(count))
}

func name(setting string) string {
	name, _, _ := strings.Cut(setting, "=")
	return name
}
