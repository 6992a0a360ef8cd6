package main

import (
	"path/filepath"
	"testing"

	"git-flower/gitstate"
)

func TestFoldersOfARepository(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	l := gitstate.Layout{TopLevel: in("repo"), CommonDir: in("repo", ".git"), State: in("state", "git-flower", "0123456789abcdef"), ID: "0123456789abcdef"}
	for folder, want := range map[string]bool{
		in("repo"): true, in("repo", "sub"): true, in("state", "git-flower", "0123456789abcdef", "tree", "1", "tree"): true,
		in("elsewhere", "git-flower", "0123456789abcdef", "tree", "1"): true, // XDG_STATE_HOME was changed meanwhile
		in("repository"): false, in("state", "git-flower", "fedcba9876543210", "tree", "1"): false, dir: false, "/": false,
	} {
		if got := belongs(folder, l); got != want {
			t.Errorf("%s: %v", folder, got)
		}
	}
	if belongs(in("repo"), gitstate.Layout{}) {
		t.Error("a folder belongs to no repository")
	}
}

// What speaks for the person, decides or spends is theirs; looking is everybody's.
func TestCommandsOfThePerson(t *testing.T) {
	looks := map[string]bool{"status": true, "log": true, "show": true, "stats": true, "watch": true, "help": true, "fsck": true, "version": true, "doctor": true, "demo": true, "guard": true}
	for _, c := range commands() {
		if c.personal == looks[c.name] {
			t.Errorf("%s: personal is %v", c.name, c.personal)
		}
	}
}
