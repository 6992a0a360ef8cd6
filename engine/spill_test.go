package engine

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"git-flower/engine/bench"
	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/engine/spending"
	"git-flower/guards"
)

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// listener is a talk that only observes.
func listener(dir string) *talk {
	stream := &Stream{}
	e := &Engine{deps: Deps{Clock: newStillClock(), Events: stream}, purse: &spending.Purse{}, bench: bench.New(dir)}
	t := &talk{e: e, job: job{role: Worker}, walls: wallsOver(nil)}
	t.first = t.knowBench()
	return t
}

// spilled is the name of the file in which a long result is kept.
func spilled(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x.txt", sum[:8])
}

func made(tool, input string) guards.Call {
	return guards.Call{Role: "worker", Tool: tool, Dir: "/t", Input: json.RawMessage(input)}
}

func TestObserveSpills(t *testing.T) {
	dir := t.TempDir()
	l := listener(dir)
	long := strings.Repeat("line\n", 1000)
	image := &harness.Image{MediaType: "image/png", Data: []byte(long)}
	got := l.observe(t.Context(), made("Bash", `{"command":"make"}`), harness.Result{Text: long, IsError: true, Image: image})
	file := filepath.Join(dir, "spill", spilled(long))
	if !strings.Contains(got.Text, file) || !got.IsError || got.Image != image || len(got.Text) > 1000 {
		t.Errorf("%+v", got.Text)
	}
	for _, c := range []guards.Call{
		made("Read", fmt.Sprintf(`{"file_path":%q}`, file)),
		made("Bash", fmt.Sprintf(`{"command":"cat %s"}`, spilled(long))),
		made("dispatch", `{}`), made("ask", `{}`), made("goal", `{}`), made("inbox", `{}`),
	} {
		if r := l.observe(t.Context(), c, harness.Result{Text: long}); r.Text != long {
			t.Errorf("%s %s: %.100s", c.Tool, c.Input, r.Text)
		}
	}
	if r := l.observe(t.Context(), made("Read", `{"file_path":"x"}`), harness.Result{Text: strings.Repeat("ü", 3999)}); utf8.RuneCountInString(r.Text) != 3999 {
		t.Errorf("%.100s", r.Text)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if r := l.observe(t.Context(), made("Bash", `{"command":"make2"}`), harness.Result{Text: long}); r.Text != long {
		t.Errorf("what could not be kept is gone: %.100s", r.Text)
	}
}

// An old result goes to the bench the same way every time; one that cannot stays.
func TestOldResultsGoToTheBench(t *testing.T) {
	dir := t.TempDir()
	l := listener(dir)
	long := strings.Repeat("line\n", 500)
	c := made("Bash", `{"command":"make"}`)
	first := l.archive(c, long)
	file := filepath.Join(dir, "spill", spilled(long))
	kept, err := os.ReadFile(file)
	if err != nil || string(kept) != long || !strings.Contains(first, file) || len(first) >= len(long) {
		t.Errorf("%s, kept %.100s, %v", first, kept, err)
	}
	if again := l.archive(c, long); again != first {
		t.Errorf("%s\nthen %s", first, again)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if r := l.archive(c, long); r != "" {
		t.Errorf("what could not be kept is gone: %s", r)
	}
}

func TestNewFilesOnTheBenchAreAnnounced(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"scripts/old.sh": "# desc: old"})
	one, other := listener(dir), listener(dir)
	if !strings.Contains(one.first, "old.sh") || strings.Contains(one.first, "new.sh") {
		t.Errorf("%s", one.first)
	}
	bash := made("Bash", `{"command":"x"}`)
	if r := one.observe(t.Context(), bash, harness.Result{Text: "ok"}); r.Text != "ok" {
		t.Errorf("%s", r.Text)
	}
	put(t, dir, map[string]string{"scripts/new.sh": "# desc: fresh"})
	if r := one.observe(t.Context(), made("Read", `{}`), harness.Result{Text: "ok"}); r.Text != "ok" {
		t.Errorf("%s", r.Text)
	}
	want := fmt.Sprintf("ok\n\n[new in the bench: `%s/scripts/new.sh` — fresh (13 B)]", filepath.ToSlash(dir))
	for _, l := range []*talk{one, other} {
		if r := l.observe(t.Context(), bash, harness.Result{Text: "ok"}); r.Text != want {
			t.Errorf("%q", r.Text)
		}
		if r := l.observe(t.Context(), bash, harness.Result{Text: "ok"}); r.Text != "ok" {
			t.Errorf("told twice: %q", r.Text)
		}
	}
	put(t, dir, map[string]string{"scripts/new.sh": "# desc: changed"})
	if r := one.observe(t.Context(), bash, harness.Result{Text: "ok"}); r.Text != "ok" {
		t.Errorf("a changed file is announced: %q", r.Text)
	}
}

// The index is part of a new session's first message and of nothing else.
func TestTheIndexGoesIntoTheFirstMessage(t *testing.T) {
	r := newRig()
	r.config.Bench = t.TempDir()
	put(t, r.config.Bench, map[string]string{"scripts/old.sh": "# desc: old"})
	told, systems := map[string]int{}, map[string]bool{}
	r.fake.Play = func(ft *harnesstest.FakeTurn) harness.Ended {
		for i, m := range ft.Said {
			if n := strings.Count(m.Text, "old.sh"); n > 0 && (i > 0 || ft.N > 1) || n > 1 {
				t.Errorf("told in message %d of turn %d", i, ft.N)
			} else if n > 0 {
				told[ft.Options.Role]++
			}
		}
		systems[ft.Options.Role] = systems[ft.Options.Role] || strings.Contains(ft.Options.System, "old.sh")
		return r.play(ft)
	}
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	for _, role := range []Role{Coordinator, Worker, Clarifier, Judge} {
		if told[string(role)] == 0 || systems[string(role)] {
			t.Errorf("%s: told %d times, in its rules %v", role, told[string(role)], systems[string(role)])
		}
	}
}
