//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"git-flower/worktree/fence"
)

// TestMain lets the test binary be the tool, so that tests can send it signals.
func TestMain(m *testing.M) {
	fence.Main()
	if os.Getenv("BE_GIT_FLOWER") != "" {
		os.Unsetenv("BE_GIT_FLOWER")
		main()
	}
	os.Exit(m.Run())
}

// tool is the tool as a process of its own.
func (d *desk) tool(words ...string) *exec.Cmd {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.CommandContext(d.t.Context(), self, words...)
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), "BE_GIT_FLOWER=1")
	return cmd
}

func TestSignalsEndTheTool(t *testing.T) {
	d := newDesk(t)
	bin := t.TempDir()
	begun := filepath.Join(bin, "begun")
	if err := syscall.Mkfifo(begun, 0o600); err != nil {
		t.Skip("needs named pipes: ", err)
	}
	script := "#!/bin/sh\necho begun >'" + begun + "'\nexec sleep 100\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("GIT_ADVICE", "1")
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		if signal == syscall.SIGHUP && ossignal.Ignored(signal) {
			t.Log("not tried: SIGHUP is ignored here, as under nohup, and then the tool ignores it too")
			continue
		}
		cmd := d.tool("status")
		var said bytes.Buffer
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.ReadFile(begun); err != nil { // returns when git has begun
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != want || !strings.Contains(said.String(), "hint: ") {
			t.Errorf("%v: %v, want exit %d; said %q", signal, err, want, said.String())
		}
	}
}

// A reader that leaves early ends the tool quietly, as SIGPIPE ends any.
func TestReaderThatLeavesEarly(t *testing.T) {
	d := newDesk(t)
	cmd := d.tool("help", "--man")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &said
	err = cmd.Run()
	w.Close()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGPIPE || said.Len() > 0 {
		t.Errorf("%v, said %q", err, said.String())
	}
}

func TestExitCodeOfTheProcess(t *testing.T) {
	d := newDesk(t)
	for words, want := range map[string]int{"version": 0, "no-such-command": 129, "log": 128, "help status": 0} {
		err := d.tool(strings.Fields(words)...).Run()
		var exit *exec.ExitError
		if got := 0; err != nil {
			if errors.As(err, &exit) {
				got = exit.ExitCode()
			}
			if got != want {
				t.Errorf("%s: %v, want exit %d", words, err, want)
			}
		} else if want != 0 {
			t.Errorf("%s succeeds", words)
		}
	}
}

// As git runs us: found on PATH, arguments untouched, exit code passed back.
func TestCalledByGit(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.begin("one", "One", false)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "git-flower")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("BE_GIT_FLOWER", "1")
	has(t, d.git("flower", "status", "--porcelain"), "name one\n")
	has(t, d.git("-C", d.dir, "flower", "log"), "request")
	has(t, d.git("flower", "-h"), "usage: git flower <command>")
	has(t, d.git("-c", "alias.fl=flower", "fl", "show", "request"), "One")
	has(t, d.git("--git-dir", filepath.Join(d.dir, ".git"), "flower", "status", "--json"), `"name":"one"`)
	var exit *exec.ExitError
	cmd := exec.CommandContext(t.Context(), "git", "flower", "nonsense")
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 129 {
		t.Errorf("%v", err)
	}
}
