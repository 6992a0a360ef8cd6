package gitstate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// appenderDir names the repository in which the test binary, started again, is
// to append until it is killed.
const appenderDir = "GITSTATE_TEST_APPENDER"

// appendForever prints the commit of each record that Append acknowledged.
func appendForever(dir string) error {
	ctx := context.Background()
	s, err := Open(ctx, dir, Config{StateHome: dir + "-state"})
	if err != nil {
		return err
	}
	defer s.Close()
	l, err := s.Lock(ctx, "x")
	if err != nil {
		return err
	}
	defer l.Close()
	r, err := s.Run(ctx, "x")
	for err == nil {
		var e Entry
		e, err = r.Append(ctx, Record{Kind: KindReport, Subject: "done", Body: benchBody,
			With: []Doc{{Kind: KindStep, Meta: Meta{State: "ok"}, Body: r.Tip().Short()}}})
		fmt.Println(e.Commit)
	}
	return err
}

// TestAKilledAppenderLosesNothingItAcknowledged kills one with SIGKILL after
// some acknowledged records, wherever it then is.
func TestAKilledAppenderLosesNothingItAcknowledged(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{StateHome: dir + "-state"})
	create(t, s, "x")
	for i := range 8 {
		acknowledged := killAfter(t, dir, 1+3*i)
		l, err := s.Lock(t.Context(), "x")
		if err != nil {
			t.Fatalf("the dead one still holds the lock: %v", err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		there := run(t, dir, "rev-list", "flower/run/x")
		for _, id := range acknowledged {
			if !strings.Contains(there, id) {
				t.Errorf("acknowledged '%s' is gone", id)
			}
		}
		sound(t, dir)
		if problems, err := s.Fsck(t.Context(), "x"); err != nil || len(problems) > 0 {
			t.Fatalf("%v, %v", problems, err)
		}
	}
}

func killAfter(t *testing.T, dir string, n int) []string {
	t.Helper()
	child := again(t, appenderDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var acknowledged []string
	lines := bufio.NewScanner(out)
	for len(acknowledged) < n && lines.Scan() {
		acknowledged = append(acknowledged, lines.Text())
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // what it still said in time counts as well
		acknowledged = append(acknowledged, lines.Text())
	}
	var exit *exec.ExitError
	if err := child.Wait(); !errors.As(err, &exit) || exit.Exited() {
		t.Fatalf("the appender ended by itself: %v", err)
	}
	return acknowledged
}

// again is the test binary as a child with a task.
func again(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), self, "-test.run=^$")
	child.Env = append(os.Environ(), env...)
	child.Stderr = os.Stderr
	return child
}

// TestEveryPrefixOfAnAppendIsSound stops an append after each of its objects.
func TestEveryPrefixOfAnAppendIsSound(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	rec := Record{Kind: KindBrief, Subject: "a flag", Body: "## Goal\n\nA flag", Files: map[string][]byte{"bench/notes/a.md": []byte("note\n")}}
	d, err := s.draft(t.Context(), r.now(), rec)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.objectWriter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= len(d.objects); n++ {
		if err := w.write(t.Context(), d.objects[:n]); err != nil {
			t.Fatal(err)
		}
		sound(t, dir)
		if problems, err := s.Fsck(t.Context(), "x"); err != nil || len(problems) > 0 {
			t.Fatalf("after %d objects: %v, %v", n, problems, err)
		}
		if again, err := s.Run(t.Context(), "x"); err != nil || again.Tip() != r.Tip() {
			t.Fatalf("after %d objects: %v", n, err)
		}
	}
	add(t, r, rec) // the same objects again, and the ref
	if problems, err := s.Fsck(t.Context(), "x"); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// TestAnObjectThatAPowerCutEmptiedIsWrittenAgain leaves what git without syncs
// leaves.
func TestAnObjectThatAPowerCutEmptiedIsWrittenAgain(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	rec := Record{Kind: KindReport, Subject: "x", Body: "x", Files: map[string][]byte{"bench/notes/a": []byte("a\n"), "bench/notes/b": []byte("a\n")}}
	d, err := s.draft(t.Context(), r.now(), rec)
	if err != nil {
		t.Fatal(err)
	}
	id := string(d.objects[0].id)
	path := filepath.Join(dir, ".git", "objects", id[:2], id[2:])
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o444)); err != nil {
		t.Fatal(err)
	}
	add(t, r, rec)
	sound(t, dir)
	if left, err := filepath.Glob(filepath.Join(dir, ".git", "objects", "*", "tmp_obj_*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestALostProcessIsReplaced ends the store's own git processes from outside.
func TestALostProcessIsReplaced(t *testing.T) {
	t.Parallel()
	s := open(t, newRepo(t), Config{})
	r := create(t, s, "x")
	if err := s.reader.p.In.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.mover.p.In.Close(); err != nil {
		t.Fatal(err)
	}
	add(t, r, Record{Kind: KindNotice, Subject: "x"})
	if err := r.Reload(t.Context()); err != nil {
		t.Error(err)
	}
}
