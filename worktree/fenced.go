package worktree

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"git-flower/worktree/fence"
)

// caches are where build tools keep what they may keep. Workers share a folder.
// A throw-away tree has one of its own, empty or a copy of what CheckoutWarm is
// about: what workers could write must have no part in a check, and go's cache
// holds the results of tests.
func (p *Pool) caches(s *slot, throwAway bool) string {
	if throwAway {
		return filepath.Join(s.dir, "cache")
	}
	return filepath.Join(p.c.State, "cache")
}

// fenced is the policy for commands in a slot's tree; nil where nothing is held.
func (p *Pool) fenced(s *slot, throwAway bool) *fence.Policy {
	if !p.c.Fence.On() {
		return nil
	}
	caches := p.caches(s, throwAway)
	f := p.c.Fence.With(s.tree(), s.git(), caches)
	f.Hide = append(f.Hide[:len(f.Hide):len(f.Hide)], p.c.State, p.c.CommonDir, p.c.GitDir)
	f.Read = append(f.Read[:len(f.Read):len(f.Read)], p.borrowed()...)
	f.Temp = s.temp()
	f.Env = append(append(f.Env[:len(f.Env):len(f.Env)], "TMPDIR="+f.Temp), fence.CacheEnv(caches, os.LookupEnv)...)
	return &f
}

// inPlaceSeen is what a worker that has the checkout may not change of the git
// directory, where it is there (inplace_git.go sees to the rest): what the user's git would run or obey, the git
// directories of submodules and of other checkouts, and the records of runs. It
// is no more, since git makes its files in that directory itself.
var inPlaceSeen = []string{
	"config", "config.worktree", "hooks", "info", "objects/info/alternates", "commondir", "gitdir", "modules", "worktrees", "refs/flower",
}

// fenced is the policy for the commands of a worker that has the checkout: with
// namespaces it cannot plant what the user's own git would run, nor reach what
// we keep there; with Landlock alone it can.
func (c *InPlace) fenced(l *look) *fence.Policy {
	p := c.p
	if !p.c.Fence.On() {
		return nil
	}
	caches := filepath.Join(p.c.State, "cache")
	f := p.c.Fence.With(l.view.top, p.c.GitDir, p.c.CommonDir, caches)
	f.Hide = append(f.Hide[:len(f.Hide):len(f.Hide)], p.c.State, filepath.Join(p.c.CommonDir, "flower"))
	f.Read = f.Read[:len(f.Read):len(f.Read)]
	for _, name := range inPlaceSeen {
		f.Read = append(f.Read, filepath.Join(p.c.CommonDir, name), filepath.Join(p.c.GitDir, name))
	}
	f.Never = c.never()
	f.Temp = filepath.Join(c.dir, "temp")
	if errors.Join(os.MkdirAll(f.Temp, 0o700), fence.MakeCaches(caches, os.LookupEnv)) != nil {
		f.Temp = "" // then there are no temporary files, which a command will tell
	}
	f.Env = append(append(f.Env[:len(f.Env):len(f.Env)], "TMPDIR="+f.Temp), fence.CacheEnv(caches, os.LookupEnv)...)
	return &f
}

// Looking is what commands are held to that may look at the tree and build, but
// change nothing of it: all they write is temporary. Nil where nothing is held.
func (t *Tree) Looking() *fence.Policy {
	if t.Fence == nil {
		return nil
	}
	f := t.Fence.ReadOnly()
	f.Env = append(f.Env, fence.CacheEnv(filepath.Join(f.Temp, "cache"), os.LookupEnv)...)
	return &f
}

// makeFenced makes the folders that a fenced command has besides its tree.
// Those of a slot begin empty.
func (p *Pool) makeFenced(s *slot, throwAway bool) error {
	if !p.c.Fence.On() {
		return nil
	}
	if err := os.MkdirAll(s.temp(), 0o700); err != nil {
		return err
	}
	return fence.MakeCaches(p.caches(s, throwAway), os.LookupEnv)
}

// dropFenced removes what commands have left in a slot besides its tree.
func (p *Pool) dropFenced(s *slot) error {
	if err := p.discard(s.temp()); err != nil {
		return err
	}
	return p.discard(p.caches(s, true))
}

// borrowed is what a worker's git reads of the user's git directory.
func (p *Pool) borrowed() []string {
	files := []string{filepath.Join(p.c.CommonDir, "config"), filepath.Join(p.c.GitDir, "config.worktree"), filepath.Join(p.c.CommonDir, "lfs")}
	return append(files, objectFolders(filepath.Join(p.c.CommonDir, "objects"), 5)...)
}

// objectFolders are a folder of objects and those it borrows from, as deep as
// git follows them.
func objectFolders(objects string, depth int) []string {
	all := []string{objects}
	f, err := os.Open(filepath.Join(objects, "info", "alternates"))
	if err != nil || depth == 0 {
		return all
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		dir := lines.Text()
		if dir == "" || strings.HasPrefix(dir, "#") {
			continue
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(objects, dir)
		}
		all = append(all, objectFolders(dir, depth-1)...)
	}
	return all
}
