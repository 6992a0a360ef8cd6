package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestEditorIsGits(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.git("config", "core.editor", `printf 'Do this.\n\n# not this\nand that\n' >"$1"; cat "$1" >>seen; :`)
	text, err := d.env.edit(t.Context(), "FLOWER_REQUEST", "# a hint\n")
	if err != nil || text != "Do this.\n\nand that" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(d.dir, ".git", "FLOWER_REQUEST")); err != nil {
		t.Errorf("what was written is gone: %v", err)
	}
	if d.env.editing.Load() {
		t.Error("the editor is still thought to run")
	}
}

func TestEditorThatFails(t *testing.T) {
	d := newDesk(t)
	d.repository()
	t.Setenv("GIT_EDITOR", "false")
	if text, err := d.env.edit(t.Context(), "FLOWER_REQUEST", "words\n"); err == nil {
		t.Errorf("%q", text)
	}
}

func TestEditorLeavesTheHintAlone(t *testing.T) {
	d := newDesk(t)
	d.repository()
	t.Setenv("GIT_EDITOR", "true")
	if text, err := d.env.edit(t.Context(), "FLOWER_REQUEST", "\n# only a hint\n"); err != nil || text != "" {
		t.Errorf("%q, %v", text, err)
	}
}
