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

// fits looks for files of the user's that git does not keep and that the merge
// would put its own in place of. (Git itself overwrites ignored files.)
func (l *landing) fits(ctx context.Context) error {
	o := obstacles{git: l.git, goes: map[string]bool{}}
	for _, name := range l.kept {
		o.goes[name] = true
	}
	for _, name := range l.added {
		if err := o.check(ctx, name); err != nil {
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
	git   gitcmd.Git      // at the top of the checkout
	goes  map[string]bool // files of the user's HEAD that the merge touches
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

// checkAbove looks for a file where a folder must be. One of HEAD's is taken away
// by the merge itself.
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
