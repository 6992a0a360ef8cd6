package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A ProtectSpec names paths that a throw-away tree takes from another commit
// than its own, whole: what its own commit has there besides is not in the tree.
//
// A path is a file or a folder, relative to the top, with slashes. It may be a
// pattern: '*', '?' and '[…]' within one part, '**' for any number of parts. A
// pattern that fits a folder protects all in it. A file whose name is the
// pattern itself is protected too. Rules of .gitignore files play no part.
// The .gitattributes files that can say how a protected file is checked out come
// from that commit as well, though a change of one is not a change of the path.
type ProtectSpec struct {
	From  string
	Paths []string
}

// Among are those of the paths that are protected.
func (s ProtectSpec) Among(paths []string) ([]string, error) {
	patterns, err := cleanPatterns(s.Paths)
	if err != nil {
		return nil, err
	}
	var among []string
	for _, name := range paths {
		if protected(patterns, name) {
			among = append(among, name)
		}
	}
	return among, nil
}

// Checkout makes a throw-away tree at a commit, for checks and judges. Whatever
// happens in it is lost with Release, and with this process.
func (p *Pool) Checkout(ctx context.Context, commit string, protect ProtectSpec) (*Tree, error) {
	return p.checkoutFrom(ctx, commit, protect, "")
}

// checkoutFrom begins with a copy of the caches that are kept in a folder, unless
// that is empty.
func (p *Pool) checkoutFrom(ctx context.Context, commit string, protect ProtectSpec, warm string) (*Tree, error) {
	t, err := p.checkout(ctx, commit, protect, warm)
	if err != nil {
		return nil, fmt.Errorf("cannot check out '%s': %w", commit, err)
	}
	return t, nil
}

func (p *Pool) checkout(ctx context.Context, commit string, protect ProtectSpec, warm string) (*Tree, error) {
	commit, err := p.commitHere(ctx, commit)
	if err != nil {
		return nil, err
	}
	tree, err := p.treeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	if len(protect.Paths) > 0 {
		if tree, err = p.protect(ctx, commit, protect); err != nil {
			return nil, err
		}
	}
	want, err := p.sceneCone(ctx, protect.Paths)
	if err != nil {
		return nil, err
	}
	return p.make(ctx, owner{State: stateScratch, Base: commit, Tip: commit, Saved: commit, want: want, warm: warm}, tree, nil)
}

// protect makes the tree object of a commit with the protected paths of another.
func (p *Pool) protect(ctx context.Context, commit string, spec ProtectSpec) (string, error) {
	patterns, err := cleanPatterns(spec.Paths)
	if err != nil {
		return "", err
	}
	from, err := p.commit(ctx, spec.From)
	if err != nil {
		return "", err
	}
	ours, err := p.listTree(ctx, commit)
	if err != nil {
		return "", err
	}
	theirs, err := p.listTree(ctx, from)
	if err != nil {
		return "", err
	}
	f, err := p.facts(ctx)
	if err != nil {
		return "", err
	}
	none := strings.Repeat("0", f.digits())
	var change strings.Builder
	for _, e := range ours {
		if protected(patterns, e.name) || governs(patterns, e.name) {
			fmt.Fprintf(&change, "0 %s\t%s\x00", none, e.name)
		}
	}
	for _, e := range theirs {
		if protected(patterns, e.name) || governs(patterns, e.name) {
			fmt.Fprintf(&change, "%s %s\t%s\x00", e.mode, e.id, e.name)
		}
	}
	return p.changedTree(ctx, commit, change.String())
}

// changedTree applies lines of 'update-index --index-info' to a commit's tree.
func (p *Pool) changedTree(ctx context.Context, commit, change string) (tree string, err error) {
	dir, err := os.MkdirTemp("", "git-flower-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	g := p.objects().Env("GIT_INDEX_FILE=" + filepath.Join(dir, "index"))
	if _, err := g.Write(ctx, "read-tree", commit); err != nil {
		return "", err
	}
	if change != "" {
		if _, err := g.WriteIn(ctx, strings.NewReader(change), "update-index", "-z", "--add", "--replace", "--index-info"); err != nil {
			return "", err
		}
	}
	out, err := g.Write(ctx, "write-tree")
	return strings.TrimSpace(string(out)), err
}

type treeEntry struct{ mode, id, name string }

func (p *Pool) listTree(ctx context.Context, commit string) ([]treeEntry, error) {
	out, err := p.objects().Read(ctx, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	var all []treeEntry
	for _, line := range splitZ(out) {
		what, name, _ := strings.Cut(line, "\t")
		if fields := strings.Fields(what); len(fields) == 3 {
			all = append(all, treeEntry{fields[0], fields[2], name})
		}
	}
	return all, nil
}

func cleanPatterns(paths []string) ([]string, error) {
	patterns := make([]string, len(paths))
	for i, name := range paths {
		clean := path.Clean(name)
		if name == "" || clean == "." || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
			return nil, fmt.Errorf("'%s' is no path below the top of the tree", name)
		}
		patterns[i] = clean
	}
	return patterns, nil
}

func protected(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if name == pattern || strings.HasPrefix(name, pattern+"/") {
			return true
		}
		if fits(strings.Split(pattern, "/"), strings.Split(name, "/")) {
			return true
		}
	}
	return false
}

// governs reports whether a file of attributes can be about a path that fits a
// pattern: it stands in or above the folder with which the pattern begins, or
// below it where the pattern leaves open which folder is meant.
func governs(patterns []string, name string) bool {
	if path.Base(name) != ".gitattributes" {
		return false
	}
	dir := strings.TrimPrefix(path.Dir(name)+"/", "./")
	for _, pattern := range patterns {
		begins := pattern
		if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
			begins = pattern[:i]
		}
		if strings.HasPrefix(begins, dir) || strings.HasPrefix(dir, begins) && begins != pattern {
			return true
		}
	}
	return false
}

// fits reports whether a pattern fits a name or a folder above it. When a part
// does not fit, the last '**' takes one part more; an earlier one need not.
func fits(pattern, name []string) bool {
	p, n := 0, 0
	star, taken := -1, 0 // where to go on after the last '**', and what it took
	for p < len(pattern) {
		switch {
		case pattern[p] == "**":
			p++
			star, taken = p, n
		case n < len(name) && partFits(pattern[p], name[n]):
			p, n = p+1, n+1
		case star >= 0 && taken < len(name):
			taken++
			p, n = star, taken
		default:
			return false
		}
	}
	return true
}

// partFits: a pattern that is none fits nothing but itself.
func partFits(pattern, part string) bool {
	ok, err := path.Match(pattern, part)
	return err == nil && ok
}
