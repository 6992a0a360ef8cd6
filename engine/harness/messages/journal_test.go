package messages

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	sessions "git-flower/engine/session"
	"git-flower/guards"
)

// cuts are how many places of a journal are tried; many under TEST_LONG.
func cuts() int {
	if os.Getenv("TEST_LONG") != "" {
		return 2000
	}
	return 25
}

// A store whose journal a crash cut at any byte holds a session that goes on: the
// stub sees that each conversation is whole, and the turn comes to its end.
func TestASessionGoesOnFromAJournalCutAnywhere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "session.db")
	store := openStore(t, path)
	if ended := workFrom(t, store, false); ended.Text != "complete" {
		t.Fatalf("ended %+v", ended)
	}
	file, err := os.ReadFile(path)
	log, errLog := os.ReadFile(path + "-wal")
	if err := errors.Join(err, errLog); err != nil || len(log) == 0 {
		t.Fatal(err)
	}
	resumed := 0
	random := rand.New(rand.NewPCG(1, 2))
	for n := range cuts() {
		cut := random.IntN(len(log))
		copied := filepath.Join(dir, fmt.Sprintf("cut-%d.db", n))
		if err := errors.Join(os.WriteFile(copied, file, 0o600), os.WriteFile(copied+"-wal", log[:cut], 0o600)); err != nil {
			t.Fatal(err)
		}
		s := openStore(t, copied)
		kept, err := s.Len(t.Context(), sessionID)
		if err != nil || s.Damage() != nil {
			t.Fatalf("cut at %d: %v, %v", cut, err, s.Damage())
		}
		if kept > 0 {
			resumed++
		}
		if ended := workFrom(t, s, kept > 0); ended.Stop != harness.StopDone || ended.Text != "complete" {
			t.Errorf("cut at %d, after %d entries: ended %+v", cut, kept, ended)
		}
	}
	if resumed == 0 {
		t.Error("no cut left anything to resume")
	}
}

func openStore(t *testing.T, path string) *sessions.Store {
	t.Helper()
	s, err := sessions.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// workFrom plays a turn with three answers of two calls each, or what is left of it.
func workFrom(t *testing.T, store harness.Transcript, resume bool) harness.Ended {
	t.Helper()
	stub := harnesstest.NewStub(t)
	stub.Answer = func(r harnesstest.Received) harnesstest.Reply {
		calls := 0
		for _, m := range r.Messages {
			for _, b := range m.Content {
				if b.Type == "tool_use" {
					calls++
				}
			}
		}
		if calls >= 6 {
			return harnesstest.Say("complete")
		}
		return harnesstest.Use(fmt.Sprintf("toolu_%d", calls), "Bash", map[string]string{"command": "true"}).
			And(harnesstest.CallBlock(fmt.Sprintf("toolu_%d_b", calls), "Bash", map[string]string{"command": "echo on"}))
	}
	s, err := newHarness(t, stub, store).Start(t.Context(), harness.Options{
		Session: sessionID, Role: "worker", Dir: t.TempDir(), System: "Role: worker", Tools: []string{"Bash"}, Env: os.Environ(), Resume: resume,
		Authorize: func(context.Context, guards.Call) guards.Decision { return guards.Allow() },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ended, err := harnesstest.Drive(t.Context(), s, harness.Message{ID: "22222222-2222-4333-8444-555555555555", Text: "go"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return ended
}
