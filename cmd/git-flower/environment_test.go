package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// T-12: who sets the goal has no shell, so it is told what there is and what
// is not: platform, shells, programs with their versions.
func TestEnvironmentTellsWhatCanBeVerified(t *testing.T) {
	d := newDesk(t)
	d.repository()
	store, err := d.env.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for name, script := range map[string]string{"jq": "echo jq-9.9", "ruby": "exit 1", "bash": ":"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	report := environment(t.Context(), store, "0123456789abcdef0123456789abcdef01234567")
	has(t, report, runtime.GOOS, "sh -c", "bash", "Network", "git version", "0123456789ab", "- jq: jq-9.9\n", "- ruby\n")
	t.Setenv("PATH", bin)
	has(t, environment(t.Context(), store, ""), "Not on this machine:", "gradle", "docker")
}
