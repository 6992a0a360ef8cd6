package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestLogIsBounded(t *testing.T) {
	file, err := openLog(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	log := newBoundedLog(file)
	last := ""
	for i := range 3 * maxLog / 64 {
		last = strings.Repeat("x", 63-7) + strconv.Itoa(1000000+i) + "\n"
		if n, err := log.Write([]byte(last)); n != len(last) || err != nil {
			t.Fatal(n, err)
		}
		if log.size > maxLog {
			t.Fatalf("%d bytes", log.size)
		}
	}
	data, err := os.ReadFile(file.Name())
	if err != nil || len(data) > maxLog || len(data) < maxLog/4 || !strings.HasSuffix(string(data), last) {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	for line := range bytes.Lines(data) {
		if len(line) != 64 {
			t.Fatalf("a torn line: %q", line)
		}
	}
}

func TestLogThatCannotBeWrittenIsNoError(t *testing.T) {
	file, err := openLog(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	if n, err := newBoundedLog(file).Write([]byte("words")); n != 5 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// telling to a pipe: what the reader gets, and what is kept.
func TestTelling(t *testing.T) {
	dir := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	tell := &telling{to: w, now: func() time.Time { return noon }, is: background{PID: 7, Begun: noon.Unix()}}
	if err := tell.begun(dir); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 1024)
	n, err := r.Read(said)
	if err != nil || !strings.Contains(string(said[:n]), `"pid":7`) || strings.Contains(string(said[:n]), "ended") {
		t.Errorf("%q, %v", said[:n], err)
	}
	if b, ok, err := lastBackground(dir); err != nil || !ok || b != tell.is {
		t.Errorf("%+v, %v, %v", b, ok, err)
	}
	tell.ended(3, endf(endLimit, "more money", "the budget is spent"))
	want := background{PID: 7, Begun: noon.Unix(), Ended: noon.Unix(), Code: 3, Why: "the budget is spent", Hint: "more money"}
	if b, _, err := lastBackground(dir); err != nil || b != want {
		t.Errorf("%+v, %v", b, err)
	}
	var none *telling
	none.ended(0, nil)
	if err := none.begun(dir); err != nil { // driven at a terminal since
		t.Error(err)
	}
	if b, ok, err := lastBackground(dir); ok || err != nil {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestBackgroundThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, backgroundFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := lastBackground(dir); err == nil {
		t.Error("half a file is read")
	}
}

func TestDriverGetsWhatResumeWasGiven(t *testing.T) {
	d := newDesk(t)
	given := callOf(t, "resume", "--detach", "--budget", "5", "--no-goal", "--land", "-m", "more", "--rehearse=x.yaml", "name")
	words := (&wake{env: d.env, resumes: true}).driverOptions(given)
	want := []string{"resume", "--no-detach", "--no-clarify-again", "--budget=5", "--no-goal", "--land", "--rehearse=" + filepath.Join(d.dir, "x.yaml")}
	if !slices.Equal(words, want) {
		t.Errorf("%q", words)
	}
	instead := callOf(t, "start", "--detach", "--budget", "5", "--with-changes", "--name", "x", "words") // of a new run
	if words := (&wake{env: d.env, resumes: true}).driverOptions(instead); !slices.Equal(words, []string{"resume", "--no-detach", "--no-clarify-again", "--budget=5"}) {
		t.Errorf("%q", words)
	}
	start := callOf(t, "start", "--detach", "--budget", "5", "words")
	if words := (&wake{env: d.env}).driverOptions(start); !slices.Equal(words, []string{"resume", "--no-detach", "--no-clarify-again"}) {
		t.Errorf("%q", words)
	}
}

func TestDriverEnvironment(t *testing.T) {
	got := driverEnv([]string{"A=1", "GIT_PAGER_IN_USE=true", backgroundVariable + "=9", "ANTHROPIC_API_KEY=k"})
	if !slices.Equal(got, []string{"A=1", "ANTHROPIC_API_KEY=k", backgroundVariable + "=3"}) {
		t.Errorf("%q", got)
	}
}

func TestEndingOfCode(t *testing.T) {
	for e := endFatal; e <= endUsage; e++ {
		if endingOfCode(e.code()) != e {
			t.Errorf("%d", e.code())
		}
	}
	if endingOfCode(143) != endFatal {
		t.Error("143")
	}
}

func TestNotBegunKeepsTheExitCode(t *testing.T) {
	d := newDesk(t)
	d.repository()
	w := &wake{env: d.env, run: d.begin("one", "One", false).run}
	err := w.notBegun(background{PID: 5, Ended: 1, Code: 75, Why: "no network"})
	var e *endError
	if !errors.As(err, &e) || e.ending != endLater || !strings.Contains(e.hint, "resume one") || !strings.Contains(err.Error(), "no network") {
		t.Errorf("%v", err)
	}
}
