package gitcmd

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestErrorsKeepAllThatGitSays(t *testing.T) {
	scrub(t)
	dir := repository(t)
	const lines = 20000 // more than a pipe holds
	g := New(dir).With("alias.fail=!i=0; while [ $i -lt 20000 ]; do echo \"line $i of a long complaint\" >&2; i=$((i+1)); done; echo out; exit 3")
	out, err := g.Write(t.Context(), "fail")
	var e *Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if strings.Count(e.Stderr, "\n") != lines || !strings.HasSuffix(e.Stderr, "line 19999 of a long complaint\n") {
		t.Errorf("%d lines kept", strings.Count(e.Stderr, "\n"))
	}
	if e.ExitCode != 3 || ExitCode(err) != 3 || string(out) != "out\n" {
		t.Errorf("exit code %d, output %q", e.ExitCode, out)
	}
}

func TestErrorsNameTheCommand(t *testing.T) {
	scrub(t)
	_, err := New(repository(t)).With("a.b=c").Read(t.Context(), "rev-parse", "--verify", "no-such-ref")
	if ExitCode(err) != 128 || !strings.HasPrefix(err.Error(), "git rev-parse: fatal: ") {
		t.Errorf("exit code %d: %v", ExitCode(err), err)
	}
	_, err = New(repository(t)).Read(t.Context(), "rev-parse", "--verify", "-q", "no-such-ref")
	if got := err.Error(); got != "git rev-parse: exit status 1" {
		t.Errorf("a silent failure reads %q", got)
	}
	_, err = New(filepath.Join(t.TempDir(), "gone")).Read(t.Context(), "status")
	if ExitCode(err) != -1 || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing directory gives exit code %d: %v", ExitCode(err), err)
	}
	if ExitCode(nil) != 0 || ExitCode(errors.New("x")) != -1 {
		t.Error("exit code of other errors")
	}
}

func TestNoShellSeesArguments(t *testing.T) {
	scrub(t)
	dir := repository(t)
	for _, arg := range []string{"$(touch pwned)", "`touch pwned`", "; touch pwned", "a\ntouch pwned"} {
		if _, err := New(dir).Read(t.Context(), "rev-parse", "--verify", "--end-of-options", arg); err == nil {
			t.Errorf("%q is a revision", arg)
		}
	}
	if exists(filepath.Join(dir, "pwned")) {
		t.Error("an argument was run")
	}
}

func TestStandardInput(t *testing.T) {
	scrub(t)
	g := New(repository(t))
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<17) // 2 MiB
	id, err := g.WriteIn(t.Context(), bytes.NewReader(content), "hash-object", "-w", "--stdin")
	must(t, err)
	got, err := g.ReadIn(t.Context(), bytes.NewReader(id), "cat-file", "--batch=%(objectsize)")
	must(t, err)
	if want := "2097152\n"; !bytes.HasPrefix(got, []byte(want)) || !bytes.Contains(got, content) {
		t.Errorf("%d bytes came back", len(got))
	}
	_, err = g.WriteIn(t.Context(), bytes.NewReader(content), "hash-object", "--no-such-option")
	if ExitCode(err) != 129 {
		t.Errorf("a git that reads no input gives %d: %v", ExitCode(err), err)
	}
}

// Read leaves the index alone, although git would like to refresh it.
func TestReadChangesNothing(t *testing.T) {
	scrub(t)
	dir := repository(t)
	file, index := filepath.Join(dir, "file"), filepath.Join(dir, ".git", "index")
	write(t, file, "x", 0o644)
	g := New(dir)
	must(t, g.writes(t, "add", "file"))
	old := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(file, old, old))
	before, err := os.ReadFile(index)
	must(t, err)
	_, err = g.Read(t.Context(), "status", "--porcelain")
	must(t, err)
	after, err := os.ReadFile(index)
	must(t, err)
	if !bytes.Equal(before, after) {
		t.Error("reading wrote the index")
	}
	_, err = g.Write(t.Context(), "status", "--porcelain")
	must(t, err)
	if after, err = os.ReadFile(index); err != nil || bytes.Equal(before, after) {
		t.Errorf("the index needed no refresh, so this test shows nothing: %v", err)
	}
}

func TestCancelledBeforeTheStart(t *testing.T) {
	scrub(t)
	dir := repository(t)
	_, err := New(dir).Write(cancelled(), "update-ref", "refs/heads/x", "HEAD")
	if !errors.Is(err, context.Canceled) || ExitCode(err) != -1 {
		t.Errorf("exit code %d: %v", ExitCode(err), err)
	}
	if _, err := New(dir).Start(cancelled(), "cat-file", "--batch"); !errors.Is(err, context.Canceled) {
		t.Errorf("start: %v", err)
	}
}
