package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"git-flower/engine/session"
)

// somePoints are all of them under TEST_LONG, else n that are chosen; TEST_SEED chooses others.
func somePoints(t *testing.T, all, n int) []int {
	t.Helper()
	if os.Getenv("TEST_LONG") != "" {
		n = all
	}
	var seed uint64 = 1
	if text := os.Getenv("TEST_SEED"); text != "" {
		if _, err := fmt.Sscan(text, &seed); err != nil {
			t.Fatalf("TEST_SEED: %v", err)
		}
	}
	points := rand.New(rand.NewPCG(seed, 2)).Perm(all)[:min(n, all)]
	slices.Sort(points)
	return points
}

// A journal that a crash cut at any byte holds every append that was whole before
// it, and nothing of the one that it cut; the session goes on.
func TestAJournalCutAtAnyByte(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "session.db")
	s := open(t, path)
	ends := []int64{sizeOf(t, path+"-wal")} // of the journal, after each append
	var appends [][]string
	for n := range 4 {
		batch := []string{fmt.Sprintf(`{"uuid":"%d","n":1}`, n), fmt.Sprintf(`{"uuid":"%d+","n":2}`, n)}
		add(t, s, "a", batch...)
		appends, ends = append(appends, batch), append(ends, sizeOf(t, path+"-wal"))
	}
	file, log := contents(t, path), contents(t, path+"-wal")
	first, last := ends[len(ends)-2], ends[len(ends)-1]
	cuts := slices.Clone(ends)
	for _, n := range somePoints(t, int(last-first), 100) {
		cuts = append(cuts, first+int64(n))
	}
	for _, n := range somePoints(t, int(first), 20) {
		cuts = append(cuts, int64(n))
	}
	var wait sync.WaitGroup
	for part := range slices.Chunk(cuts, len(cuts)/4+1) {
		copied := filepath.Join(t.TempDir(), "cut.db")
		wait.Go(func() {
			for _, cut := range part {
				var want []string
				for n, batch := range appends {
					if ends[n+1] <= cut {
						want = append(want, batch...)
					}
				}
				if err := goesOn(t.Context(), copied, file, log[:cut], want); err != nil {
					t.Errorf("cut at %d: %v", cut, err)
				}
			}
		})
	}
	wait.Wait()
}

// goesOn opens a store that a crash has left, looks for the entries that it is to
// hold, and appends to it.
func goesOn(ctx context.Context, path string, file, log []byte, want []string) error {
	if err := errors.Join(os.WriteFile(path, file, 0o600), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
		return err
	}
	s, err := session.Open(ctx, path)
	if err != nil {
		return err
	}
	defer os.RemoveAll(path)
	defer s.Close()
	if s.Damage() != nil {
		return s.Damage()
	}
	want = append(slices.Clone(want), `{"uuid":"on"}`)
	if err := s.Append(ctx, "a", json.RawMessage(want[len(want)-1])); err != nil {
		return err
	}
	entries, err := s.Load(ctx, "a")
	if got := fmt.Sprintf("%s", entries); err != nil || got != fmt.Sprintf("%s", want) {
		return fmt.Errorf("it holds %s, not %s: %v", got, want, err)
	}
	return nil
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
