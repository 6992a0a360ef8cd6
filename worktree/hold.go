package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What Finish brings into the user's objects is named by no ref yet, and whoever
// prunes without git's grace of two weeks would take it away. So it comes as a
// pack with a '.keep' file, which git has in place before the pack and which gc
// respects. It goes when the slot does: by then a ref names what is in the pack.

// keepText is what the '.keep' files of a slot's packs say.
func (s *slot) keepText() string { return "git flower, for " + s.dir }

// letPrune leaves a slot's packs to gc.
func (p *Pool) letPrune(s *slot) error {
	dir := filepath.Join(p.c.CommonDir, "objects", "pack")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".keep" {
			continue
		}
		name := filepath.Join(dir, e.Name())
		text, bad := os.ReadFile(name)
		if bad == nil && strings.TrimSuffix(string(text), "\n") == s.keepText() {
			bad = os.Remove(name)
		}
		if !errors.Is(bad, fs.ErrNotExist) {
			err = errors.Join(err, bad)
		}
	}
	return err
}
