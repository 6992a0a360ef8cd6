package claude

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/engine/proxy"
	"git-flower/worktree/process"
)

func newHarness(t testing.TB, s *harnesstest.Stub, transcript harness.Transcript, changes ...func(*Config)) *Harness {
	t.Helper()
	p, err := proxy.Start(t.Context(), proxy.Config{BaseURL: s.URL, APIKey: s.Key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	root := t.TempDir()
	c := Config{Path: realCLI(t), Proxy: p, Transcript: transcript, Folder: func(session string) string { return filepath.Join(root, session) }}
	for _, change := range changes {
		change(&c)
	}
	h, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func maker(t *testing.T, s *harnesstest.Stub, transcript harness.Transcript) harness.Harness {
	return withEnv{newHarness(t, s, transcript, func(c *Config) { c.HourCache = true })}
}

func TestContract(t *testing.T) { harnesstest.Run(t, maker) }

func TestChaosDoesNotChangeTheWork(t *testing.T) { harnesstest.RunChaos(t, maker, whole(12, 2)) }

// Each cut starts a process or two; a slice of them does where time is short.
func TestCrashes(t *testing.T) {
	every := whole(1, 3)
	harnesstest.RunCrashes(t, maker, func(n, of int) bool { return n%int(every) == 0 || n == of })
}

// whole is all where TEST_LONG is set, else some.
func whole(all, some uint64) uint64 {
	if os.Getenv("TEST_LONG") != "" {
		return all
	}
	return some
}

// withEnv gives sessions the environment of a worker's commands.
type withEnv struct{ *Harness }

func (h withEnv) Start(ctx context.Context, o harness.Options) (harness.Session, error) {
	if o.Env == nil {
		o.Env = process.Env()
	}
	return h.Harness.Start(ctx, o)
}
