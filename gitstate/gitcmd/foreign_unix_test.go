//go:build unix

package gitcmd

import (
	"path/filepath"
	"testing"
)

// plant puts a program in a repository that leaves a mark when it runs.
func plant(t *testing.T, path string) (mark string) {
	t.Helper()
	mark = filepath.Join(t.TempDir(), "ran")
	write(t, path, "#!/bin/sh\n: >'"+mark+"'\n", 0o755)
	return mark
}

// Each planted program is run by the caller's git, which shows that the trap
// works, and never by a foreign one.
func TestForeignRunsNothingThatARepositoryPlants(t *testing.T) {
	scrub(t)
	status, move := []string{"status", "--porcelain"}, []string{"update-ref", "refs/flower/x", ":file"}
	tests := []struct {
		name, program string
		config        []string
		command       []string
	}{
		{"fsmonitor", "trap", []string{"core.fsmonitor", "trap"}, status},
		{"reference-transaction hook", ".git/hooks/reference-transaction", nil, move},
		{"hook in a folder of its own", "hooks/reference-transaction", []string{"core.hooksPath", "hooks"}, move},
		{"index hook", ".git/hooks/post-index-change", nil, []string{"add", "--all"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := repository(t)
			file := filepath.Join(dir, "file")
			mark := plant(t, filepath.Join(dir, test.program))
			write(t, file, "x", 0o644)
			must(t, Foreign(dir).writes(t, "add", "file"))
			if test.config != nil {
				value := "'" + filepath.Join(dir, test.config[1]) + "'"
				if test.config[0] == "core.hooksPath" {
					value = test.config[1]
				}
				must(t, Foreign(dir).writes(t, "config", test.config[0], value))
			}
			write(t, file, "changed", 0o644)
			must(t, Foreign(dir).writes(t, test.command...))
			if exists(mark) {
				t.Error("a foreign git ran it")
			}
			write(t, file, "changed again", 0o644)
			must(t, New(dir).writes(t, test.command...))
			if !exists(mark) {
				t.Error("the trap does not work: the caller's git did not run it either")
			}
		})
	}
}
