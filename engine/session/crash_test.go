package session_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"git-flower/engine/session"
)

// The test binary runs itself as another process that appends to a store.
const childVariable = "SESSION_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		if err := child(path, os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child appends count entries (0: until it is killed) and prints the number of
// each once it is acknowledged. With a count it opens the store for each anew.
func child(path, id, count string) error {
	ctx := context.Background()
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	s, err := session.Open(ctx, path)
	for i := 0; err == nil && (n == 0 || i < n); i++ {
		if err = s.Append(ctx, id, numbered(i), numbered(i)); err != nil {
			return err
		}
		fmt.Println(i)
		if n > 0 && i%10 == 9 {
			if err := s.Close(); err != nil {
				return err
			}
			s, err = session.Open(ctx, path)
		}
	}
	if err != nil {
		return err
	}
	return s.Close()
}

func numbered(i int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"n":%d,"fill":"%s"}`, i, strings.Repeat("x", i*37%5000)))
}

func start(t *testing.T, path, id, count string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], id, count)
	cmd.Env = append(os.Environ(), childVariable+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

func TestKilledWhileAppending(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	acknowledged := map[string]int{}
	for round := range 8 {
		id := fmt.Sprint("round-", round)
		cmd, lines := start(t, path, id, "0")
		for lines.Scan() && lines.Text() != strconv.Itoa(7+round*11) {
			continue
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		last := 7 + round*11
		for lines.Scan() { // what it still said before it died counts as well
			last, _ = strconv.Atoi(lines.Text())
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the child was not killed")
		}
		acknowledged[id] = last
	}
	s := open(t, path)
	if s.Damage() != nil {
		t.Fatal(s.Damage())
	}
	for id, last := range acknowledged {
		entries := load(t, s, id)
		if len(entries) < 2*(last+1) || len(entries)%2 != 0 {
			t.Errorf("%s: %d entries, acknowledged up to %d", id, len(entries), last)
		}
		for i, e := range entries {
			if e != string(numbered(i/2)) {
				t.Errorf("%s: entry %d is %.40s", id, i, e)
			}
		}
	}
}

// Eight processes meet an empty directory at once, and open and close the store
// all the time.
func TestProcessesShareAStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flower", "session.db")
	const processes, count = 8, 30
	var wait sync.WaitGroup
	for p := range processes {
		cmd, lines := start(t, path, fmt.Sprint(p), strconv.Itoa(count))
		wait.Go(func() {
			for lines.Scan() {
				continue
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	s := open(t, path)
	for p := range processes {
		entries := load(t, s, fmt.Sprint(p))
		if len(entries) != 2*count {
			t.Errorf("process %d: %d entries", p, len(entries))
		}
		for i, e := range entries {
			if e != string(numbered(i/2)) {
				t.Errorf("process %d: entry %d is %.40s", p, i, e)
			}
		}
	}
}

func TestGoroutinesShareAStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	stores := []*session.Store{open(t, path), open(t, path)}
	const count = 50
	var wait sync.WaitGroup
	for g := range 8 {
		s := stores[g%2]
		wait.Go(func() {
			for i := range count {
				if err := s.Append(t.Context(), fmt.Sprint(g%4), json.RawMessage(fmt.Sprintf(`{"g":%d,"i":%d}`, g, i))); err != nil {
					t.Error(err)
				}
				if _, err := s.Load(t.Context(), "0"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	for id := range 4 {
		next := map[int]int{}
		for _, raw := range load(t, stores[0], fmt.Sprint(id)) {
			var e struct{ G, I int }
			if err := json.Unmarshal([]byte(raw), &e); err != nil {
				t.Fatal(err)
			}
			if next[e.G] != e.I {
				t.Errorf("session %d: writer %d's %d came after its %d", id, e.G, e.I, next[e.G])
			}
			next[e.G]++
		}
		if next[id] != count || next[id+4] != count {
			t.Errorf("session %d: %v", id, next)
		}
	}
}
