package process

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"git-flower/worktree/fence"
)

// open starts a shell to talk with.
func open(t *testing.T, script string, change func(*Program)) *Peer {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	p := Program{Path: sh, Args: []string{"-c", script}, Dir: t.TempDir(), Env: Env()}
	if change != nil {
		change(&p)
	}
	peer, err := Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { peer.Close() })
	return peer
}

func TestAPeerIsTalkedWith(t *testing.T) {
	p := open(t, `while read line; do echo "said $line"; echo "heard $line" >&2; done; exit 7`, nil)
	out := bufio.NewReader(p)
	for _, word := range []string{"one", "two"} {
		if _, err := io.WriteString(p, word+"\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := out.ReadString('\n'); err != nil || line != "said "+word+"\n" {
			t.Fatalf("%q, %v", line, err)
		}
	}
	if p.ExitCode() != -1 {
		t.Errorf("exit code %d while it runs", p.ExitCode())
	}
	p.in.Close()
	<-p.Exited()
	if err := p.End(); err != nil || p.ExitCode() != 7 || p.Errors() != "heard one\nheard two\n" {
		t.Errorf("%v, exit code %d, %q", err, p.ExitCode(), p.Errors())
	}
	if _, err := out.ReadByte(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}

// Whatever ends it, nothing is left of what it started, and what it printed can
// be read to its end.
func TestEverythingOfAPeerEnds(t *testing.T) {
	scripts := []string{"echo up; sleep 1000 & echo $! >pid; wait", "echo up; trap '' TERM; echo $$ >pid; while :; do sleep 0.1; done"}
	if runtime.GOOS == "linux" {
		scripts = append(scripts, "echo up; setsid sh -c 'echo $$ >pid; exec sleep 1000' & wait")
	}
	for _, script := range scripts {
		dir := t.TempDir()
		p := open(t, script, func(p *Program) { p.Dir = dir })
		pid := pidIn(t, dir)
		for range 2 {
			if err := p.End(); err != nil {
				t.Error(err)
			}
		}
		if text, err := io.ReadAll(p); err != nil || string(text) != "up\n" {
			t.Errorf("%q, %v", text, err)
		}
		if alive(pid) {
			t.Errorf("%s: process %d is left", script, pid)
		}
	}
}

// A flood on standard error neither stops the program nor costs memory.
func TestErrorsOfAPeerAreBounded(t *testing.T) {
	p := open(t, "head -c 33554432 /dev/zero | tr '\\0' x >&2; echo last >&2; echo done", func(p *Program) { p.Limit = 100 })
	if text, err := io.ReadAll(p); err != nil || string(text) != "done\n" {
		t.Fatalf("%q, %v", text, err)
	}
	p.End()
	if got := p.Errors(); len(got) != 100 || !strings.HasSuffix(got, "xlast\n") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func TestOpenRefuses(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, open := range map[string]func() (*Peer, error){
		"a relative directory": func() (*Peer, error) { return Open(t.Context(), Program{Path: "/bin/sh", Dir: "x"}) },
		"a relative program":   func() (*Peer, error) { return Open(t.Context(), Program{Path: "sh", Dir: "/"}) },
		"a missing program":    func() (*Peer, error) { return Open(t.Context(), Program{Path: "/no/such", Dir: "/"}) },
		"a context that ended": func() (*Peer, error) { return Open(ctx, Program{Path: "/bin/sh", Dir: "/"}) },
	} {
		if p, err := open(); err == nil {
			t.Errorf("%s: started, %v", name, p.Close())
		}
	}
}

// A peer does not outlive the program that talks with it, with a fence or without.
func TestAPeerDiesWithUs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a program that its parent died")
	}
	for _, fenced := range []string{"", "yes"} {
		dir := t.TempDir()
		parent := open(t, `exec "$PROGRAM"`, func(p *Program) {
			p.Dir = dir
			p.Env = Env("PROGRAM="+os.Args[0], "PROCESS_TEST_PEER=echo up; exec sleep 1000", "PROCESS_TEST_FENCE="+fenced)
		})
		if line, err := bufio.NewReader(parent).ReadString('\n'); err != nil || line != "up\n" {
			t.Fatalf("%q, %v: %s", line, err, parent.Errors())
		}
		living := Holders(dir)
		if len(living) < 2 {
			t.Fatalf("fence '%s': found only %v", fenced, living)
		}
		parent.cmd.Process.Kill()
		waitFor(t, func() bool { return len(Holders(dir)) == 0 })
	}
}

// talkFor plays a program that has a peer and passes on what it says.
func talkFor(script string) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		os.Exit(2)
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		os.Exit(2)
	}
	p := Program{Path: sh, Args: []string{"-c", script}, Dir: dir, Env: Env()}
	if os.Getenv("PROCESS_TEST_FENCE") != "" {
		p.Fence = &fence.Policy{Means: fence.Probe(context.Background()), Write: []string{dir}}
	}
	peer, err := Open(context.Background(), p)
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(2)
	}
	io.Copy(os.Stdout, peer)
	os.Exit(0)
}
