package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestSessionsOfKilledWakesAreRemoved(t *testing.T) {
	state := t.TempDir()
	file := func(words ...string) string {
		path := filepath.Join(append([]string{state, "session"}, words...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	there := func(path string) bool { _, err := os.Stat(path); return err == nil }

	mine, other := file("run", "one", "id", "config", "x"), file("run", "two", "id", "config", "x")
	living, dead := file("ask", fmt.Sprintf("%d-a", os.Getppid()), "id", "x"), file("ask", "999999999-a", "id", "x")
	strange := file("ask", "notes", "x")
	dir, done, err := openSessions(state, "one")
	if err != nil || there(mine) || !there(other) || !there(living) {
		t.Errorf("%v: mine %v, the other's %v, a question's %v", err, there(mine), there(other), there(living))
	}
	mine = file("run", "one", "new", "x")
	ask, askDone, err := openAskSessions(state)
	if err != nil || !there(mine) || !there(living) || there(dead) || !there(strange) {
		t.Errorf("%v: mine %v, a living question's %v, a dead one's %v, a strange %v", err, there(mine), there(living), there(dead), there(strange))
	}
	asked := filepath.Join(ask, "id")
	if err := os.MkdirAll(asked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := done(); err != nil || there(dir) || !there(asked) {
		t.Errorf("done: %v, %v", err, there(dir))
	}
	if err := askDone(); err != nil || there(asked) || !there(other) {
		t.Errorf("asked: %v, %v", err, there(asked))
	}
}
