package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"git-flower/gitstate/gitcmd"
)

// mergeable merges without files first and returns the tree object.
func (p *Pool) mergeable(ctx context.Context, before, join string) (string, error) {
	tree, conflicts, err := p.mergeTree(ctx, before, join)
	if err == nil && len(conflicts) > 0 {
		err = &ConflictError{Paths: conflicts}
	}
	return tree, err
}

// fitsCheckout looks for files of the user's that git does not keep and that a
// merge which makes tree would put its own in place of. (Git itself overwrites
// ignored files.)
func (p *Pool) fitsCheckout(ctx context.Context, g gitcmd.Git, before, tree string) error {
	out, err := p.objects().Read(ctx, "diff-tree", "-r", "-z", "--name-status", "--no-renames", "--diff-filter=AD", before, tree)
	if err != nil {
		return err
	}
	o := obstacles{git: g, goes: map[string]bool{}}
	fields := splitZ(out)
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] == "D" {
			o.goes[fields[i+1]] = true
		}
	}
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] != "A" {
			continue
		}
		if err := o.check(ctx, fields[i+1]); err != nil {
			return err
		}
	}
	if len(o.found) > 0 {
		return &OverwriteError{Paths: o.found}
	}
	return nil
}

// obstacles are what stands in a clean checkout where files are to be made.
type obstacles struct {
	git   gitcmd.Git // at the top of the checkout
	goes  map[string]bool
	found []string
}

func (o *obstacles) check(ctx context.Context, name string) error {
	info, err := o.lstat(name)
	switch {
	case err != nil:
		o.checkAbove(name)
		return nil
	case !info.IsDir():
		o.found = append(o.found, name)
		return nil
	}
	out, err := o.git.Read(ctx, "--literal-pathspecs", "ls-files", "-z", "-o", "--", name)
	o.found = append(o.found, splitZ(out)...)
	return err
}

// checkAbove looks for a file where a folder must be. One that the merge itself
// takes away is none.
func (o *obstacles) checkAbove(name string) {
	for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
		above := name[:i]
		if info, err := o.lstat(above); err == nil {
			if !info.IsDir() && !o.goes[above] {
				o.found = append(o.found, above)
			}
			return
		}
	}
}

func (o *obstacles) lstat(name string) (os.FileInfo, error) {
	return os.Lstat(filepath.Join(o.git.Dir(), filepath.FromSlash(name)))
}
