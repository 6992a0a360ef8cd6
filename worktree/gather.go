package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-flower/gitstate/gitcmd"
)

// A gathering puts the files of a tree into an index.
type gathering struct {
	git      gitcmd.Git
	root     string
	limit    int64
	large    *storage // of git-lfs; nil where it is not set up
	converts bool     // whether any file may be other bytes than its blob, whatever its attributes
	leftOut  []string // what the index does not hold, and why where it is not plain
	skip     []string // ignored paths, sorted

	ignoredOut, entriesOut, changedOut, othersOut []byte // what git listed
}

// gather brings an index that holds a commit up to the files of the slot's tree
// and returns the paths it left out: what is ignored, what HEAD does not hold
// and is larger than the limit, changed submodules (the recorded commit stays),
// ".git" entries below the top (the files beside them are stored as ordinary
// files), and whatever git or the system does not let us read or name. One bad
// path never stops the rest.
func (p *Pool) gather(ctx context.Context, s *slot, head, index string, keep bool) ([]string, error) {
	f, err := p.facts(ctx)
	if err != nil {
		return nil, err
	}
	g := &gathering{git: p.drafting(s, p.trusted(s, index)), root: s.tree(), limit: p.c.Limit, large: p.largeFiles(f, keep), converts: f.converts()}
	if _, err := g.git.Write(ctx, "read-tree", "--reset", head); err != nil {
		return nil, err
	}
	if err := p.mask(ctx, s, index, head); err != nil {
		return nil, err
	}
	if err := g.list(ctx); err != nil {
		return nil, err
	}
	g.ignored()
	g.submodules()
	for _, step := range []func(context.Context) error{g.tracked, g.untracked, g.unlisted} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	slices.Sort(g.leftOut)
	return slices.Compact(g.leftOut), g.unchanged(ctx, head)
}

func splitZ(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

// list asks git four things, each of which looks at the whole tree or index.
func (g *gathering) list(ctx context.Context) error {
	ask := func(out *[]byte, args ...string) func() error {
		return func() (err error) {
			*out, err = g.git.Read(ctx, args...)
			return err
		}
	}
	return atOnce(
		ask(&g.changedOut, "diff-files", "-z", "--raw", "--no-abbrev", "--ignore-submodules=dirty"),
		ask(&g.othersOut, listOthers...),
		ask(&g.ignoredOut, "ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory"),
		ask(&g.entriesOut, "ls-files", "-z", "-s"),
	)
}

var listOthers = []string{"ls-files", "-z", "-o", "--exclude-standard"}

// ignored notes what is ignored, a folder as one.
func (g *gathering) ignored() {
	for _, name := range splitZ(g.ignoredOut) {
		g.leftOut = append(g.leftOut, name)
		g.skip = append(g.skip, strings.TrimSuffix(name, "/"))
	}
	slices.Sort(g.skip)
}

// submodules notes those with something in them: git looks at their commit and
// no further, and their objects are not ours to keep.
func (g *gathering) submodules() {
	for entry := range bytes.SplitSeq(g.entriesOut, []byte{0}) {
		if !bytes.HasPrefix(entry, []byte("160000 ")) {
			continue
		}
		_, name, _ := strings.Cut(string(entry), "\t")
		if inside, err := os.ReadDir(g.path(name)); err == nil && len(inside) > 0 {
			g.leftOut = append(g.leftOut, name+"/ (files of a submodule)")
		}
	}
}

// tracked takes up changes to files that HEAD holds.
func (g *gathering) tracked(ctx context.Context) error {
	fields := splitZ(g.changedOut)
	var gone, changed []string
	for i := 0; i+1 < len(fields); i += 2 {
		what, name := fields[i], fields[i+1]
		switch {
		case strings.HasPrefix(what, ":160000") && !g.isFile(name):
			g.leftOut = append(g.leftOut, name+" (submodule)")
		case strings.HasSuffix(what, " D"):
			gone = append(gone, name)
		default:
			changed = append(changed, name)
		}
	}
	if len(gone) > 0 { // by name: what stands in its place, or above it, does not count
		if _, err := g.git.WriteIn(ctx, lines(gone), "update-index", "-z", "--force-remove", "--stdin"); err != nil {
			return err
		}
	}
	return g.add(ctx, changed)
}

func (g *gathering) isFile(name string) bool {
	info, err := os.Lstat(g.path(name))
	return err == nil && !info.IsDir()
}

func (g *gathering) path(name string) string { return filepath.Join(g.root, filepath.FromSlash(name)) }

// untracked takes up files that HEAD does not hold.
func (g *gathering) untracked(ctx context.Context) error {
	var add []string
	odd := false
	for _, name := range splitZ(g.othersOut) {
		if folder, nested := strings.CutSuffix(name, "/"); nested {
			inside, err := g.inside(ctx, folder)
			if err != nil {
				return err
			}
			add = append(add, inside...)
			continue
		}
		if g.fits(name) {
			add = append(add, name)
			odd = odd || refused(name)
		}
	}
	if err := g.add(ctx, add); err != nil || !odd {
		return err
	}
	return g.stillUntracked(ctx)
}

// fits reports whether a new file may be stored, and notes it if not.
func (g *gathering) fits(name string) bool {
	info, err := os.Lstat(g.path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false
	case err == nil && info.Size() > g.limit:
		g.leftOut = append(g.leftOut, fmt.Sprintf("%s (%d bytes)", name, info.Size()))
		return false
	}
	return true
}

// unlisted notes what git does not even list.
func (g *gathering) unlisted(context.Context) error {
	found, err := survey(g.root, g.skip)
	for _, name := range found.nested {
		g.leftOut = append(g.leftOut, name+"/")
	}
	for _, name := range found.odd {
		g.leftOut = append(g.leftOut, name+" (cannot be read)")
	}
	return err
}

// add puts names into the index.
func (g *gathering) add(ctx context.Context, names []string) error {
	names, err := g.pointed(ctx, names)
	if err != nil {
		return err
	}
	return g.addPlain(ctx, names)
}

// addPlain has git store files. When it refuses, the names are halved until the
// bad ones are found.
func (g *gathering) addPlain(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	_, err := g.git.WriteIn(ctx, lines(names), "update-index", "-z", "--ignore-skip-worktree-entries", "--add", "--remove", "--replace", "--stdin")
	if err == nil || ctx.Err() != nil {
		return err
	}
	if len(names) > 1 {
		half := len(names) / 2
		return errors.Join(g.addPlain(ctx, names[:half]), g.addPlain(ctx, names[half:]))
	}
	if gitcmd.ExitCode(err) < 0 {
		return err // not git's opinion
	}
	g.leftOut = append(g.leftOut, fmt.Sprintf("%s (%s)", names[0], firstLine(err)))
	return nil
}

func lines(names []string) *bytes.Reader {
	return bytes.NewReader([]byte(strings.Join(names, "\x00") + "\x00"))
}

func firstLine(err error) string {
	var g *gitcmd.Error
	if !errors.As(err, &g) {
		return err.Error()
	}
	line, _, _ := strings.Cut(strings.TrimSpace(g.Stderr), "\n")
	return line
}
