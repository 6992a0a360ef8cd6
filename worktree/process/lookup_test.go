package process

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestLookup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what a program is depends on its name there")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "text": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	for _, name := range []string{"tool", filepath.Join(dir, "tool")} {
		if got, err := Lookup(name); err != nil || got != filepath.Join(dir, "tool") {
			t.Errorf("Lookup(%q): %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"text", "none", ""} {
		if got, err := Lookup(name); err == nil {
			t.Errorf("Lookup(%q): %q", name, got)
		}
	}
	t.Setenv("PATH", ".")
	if got, err := Lookup("tool"); err == nil {
		t.Errorf("taken from the working directory: %q", got)
	}
}
