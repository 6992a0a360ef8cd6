package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A cone is which files of a commit a sparse tree holds. The zero value is a
// whole tree.
type cone struct {
	rules   string // as in info/sparse-checkout; empty when the tree is whole
	folders string // what core.sparseCheckoutCone says: "true", "false" or nothing
}

// maxRules is how long a worker's rules may be, and how much longer than ours:
// git compares each rule with each file.
const maxRules = 64 << 10

// name tells cones apart; that of a whole tree is empty.
func (c cone) name() string {
	if c.rules == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(c.folders + "\n" + c.rules))
	return hex.EncodeToString(sum[:8])
}

// config is what a git directory must say for a cone to count.
func (c cone) config() []string {
	if c.rules == "" {
		return []string{"core.sparseCheckout=false"}
	}
	config := []string{"core.sparseCheckout=true"}
	if c.folders != "" {
		config = append(config, "core.sparseCheckoutCone="+c.folders)
	}
	return config
}

// readCone reads the cone of a git directory with a configuration. The error wraps
// fs.ErrNotExist when it is to be sparse and there are no rules.
func readCone(gitDir string, config map[string]string, limit int64) (cone, error) {
	if !isTrue(config["core.sparsecheckout"]) {
		return cone{}, nil
	}
	rules, err := readPlain(filepath.Join(gitDir, "info", "sparse-checkout"), limit)
	if err == nil && len(rules) == 0 {
		err = fs.ErrNotExist
	}
	c := cone{rules: string(rules)}
	if value, ok := config["core.sparsecheckoutcone"]; ok {
		c.folders = "false"
		if isTrue(value) {
			c.folders = "true"
		}
	}
	return c, err
}

func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// coneDir is a git directory of the slot's with nothing but its cone in it. Git
// gets all else from the user's.
func (s *slot) coneDir() string { return filepath.Join(s.dir, "cone") }

// aim makes a cone the slot's own.
func (p *Pool) aim(s *slot, c cone) error {
	if s.cone == c {
		return nil
	}
	if c.rules != "" {
		if err := p.writeConeDir(s, c); err != nil {
			return err
		}
	}
	s.cone = c
	return s.set(func(*owner) {})
}

func (p *Pool) writeConeDir(s *slot, c cone) error {
	if err := os.MkdirAll(filepath.Join(s.coneDir(), "info"), 0o700); err != nil {
		return err
	}
	err := copyFile(filepath.Join(p.c.GitDir, "config.worktree"), filepath.Join(s.coneDir(), "config.worktree"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(
		writeFile(filepath.Join(s.coneDir(), "HEAD"), []byte("ref: refs/heads/none\n")),
		writeFile(filepath.Join(s.coneDir(), "info", "sparse-checkout"), []byte(c.rules)),
	)
}

// readConeDir reads the cone of a slot that another process had. One that is lost
// is that of no other slot, so that the files are made anew.
func (s *slot) readConeDir() error {
	if s.owner.Cone == "" {
		return nil
	}
	rules, err := os.ReadFile(filepath.Join(s.coneDir(), "info", "sparse-checkout"))
	s.cone = cone{rules: string(rules), folders: s.owner.ConeFolders}
	if err != nil && s.owner.State != stateWorking {
		return nil
	}
	return err
}

// coneAt is that of a worker's tree: the one of the user's checkout, and what
// else workers have made or changed on the way from there to a commit, since the
// next one goes on with it.
func (p *Pool) coneAt(ctx context.Context, commit string) (cone, error) {
	f, err := p.facts(ctx)
	if err != nil || f.cone.rules == "" {
		return cone{}, err
	}
	from, err := p.objects().Line(ctx, "merge-base", "HEAD", commit)
	if err != nil {
		return f.cone, ctx.Err() // nothing in common, or no HEAD
	}
	names, err := p.Changed(ctx, from, commit)
	if err != nil || len(names) == 0 {
		return f.cone, err
	}
	return f.cone.with(names), nil
}

// maxUserRules is how long the user's rules may be.
const maxUserRules = 16 << 20

func (p *Pool) readUserCone(config map[string]string) (cone, error) {
	c, err := readCone(p.c.GitDir, config, maxUserRules)
	if errors.Is(err, fs.ErrNotExist) {
		return cone{}, nil
	}
	return c, err
}

// sceneCone is that of a throw-away tree: whole, since nobody knows what a check
// reads, and one that fails for want of a file outside would be believed. In a
// partial clone the rest may be anywhere and of any size; there it is the user's,
// and the protected paths.
func (p *Pool) sceneCone(ctx context.Context, protect []string) (cone, error) {
	f, err := p.facts(ctx)
	if err != nil || !f.partial() || f.cone.rules == "" {
		return cone{}, err
	}
	if len(protect) == 0 {
		return f.cone, nil
	}
	c := cone{rules: strings.TrimRight(f.cone.rules, "\n") + "\n", folders: "false"}
	for _, pattern := range protect {
		c.rules += "/" + pattern + "\n"
	}
	return c, nil
}

// aimBack makes the cone of a worker's tree what it was, whatever the worker made
// of it. Git makes a whole tree sparse; the other way it needs a new tree.
func (p *Pool) aimBack(ctx context.Context, s *slot, base string, worker bool) error {
	if !worker {
		return nil
	}
	want, err := p.coneAt(ctx, base)
	if err == nil && want.rules == "" && s.cone.rules != "" {
		err = errTouched
	}
	if err != nil {
		return err
	}
	return p.aim(s, want)
}

// follow takes up the cone that the worker has given its tree with 'git
// sparse-checkout', and reports whether it is another one. What cannot be read
// counts for nothing.
func (p *Pool) follow(ctx context.Context, s *slot) (bool, error) {
	var text []byte
	for _, name := range []string{"config", "config.worktree"} {
		more, err := readPlain(filepath.Join(s.git(), name), maxRules)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		text = append(append(text, more...), '\n')
	}
	out, err := p.objects().ReadIn(ctx, strings.NewReader(string(text)), "config", "--file", "-", "--no-includes", "-z", "--list")
	if err != nil {
		return false, ctx.Err()
	}
	c, err := readCone(s.git(), parseConfig(out), maxRules+int64(len(s.cone.rules)))
	if err != nil || c.name() == s.cone.name() {
		return false, ctx.Err()
	}
	return true, p.aim(s, c)
}

// mask marks the files of an index that are outside of the slot's cone, as git
// does it, without looking at the tree: only its marks say that such a file is
// not deleted.
func (p *Pool) mask(ctx context.Context, s *slot, index, tree string) error {
	if s.cone.rules == "" {
		return nil
	}
	empty := p.emptyDir()
	g := p.trusted(s, index).In(empty).Env("GIT_WORK_TREE=" + empty)
	_, err := g.Write(ctx, "read-tree", "-m", "-u", tree)
	return err
}
