package worktree

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-flower/gitstate/gitcmd"
)

// inside lists the files of a repository inside the tree, which git does not.
func (g *gathering) inside(ctx context.Context, folder string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(g.path(folder), func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return skipDir(d) // unlisted tells it
		}
		rel, err := filepath.Rel(g.root, at)
		switch name := filepath.ToSlash(rel); {
		case err != nil:
			return err
		case strings.EqualFold(d.Name(), ".git"):
			return skipDir(d)
		case (d.Type().IsRegular() || d.Type()&os.ModeSymlink != 0) && g.fits(name):
			names = append(names, name)
		}
		return nil
	})
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return g.notIgnored(ctx, names)
}

func (g *gathering) notIgnored(ctx context.Context, names []string) ([]string, error) {
	out, err := g.git.ReadIn(ctx, lines(names), "check-ignore", "-z", "--stdin")
	if err != nil && gitcmd.ExitCode(err) != 1 { // 1: none is ignored
		return nil, err
	}
	ignored := splitZ(out)
	g.leftOut = append(g.leftOut, ignored...)
	slices.Sort(ignored)
	return slices.DeleteFunc(names, func(name string) bool {
		_, found := slices.BinarySearch(ignored, name)
		return found
	}), nil
}

// refused reports whether git may silently pass over a name: it takes more
// spellings for ".git" than there are good reasons to use one.
func refused(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		lower := strings.ToLower(part)
		if strings.HasPrefix(lower, ".git") || strings.HasPrefix(lower, "git~") || strings.ContainsRune(lower, '\u200c') {
			return true
		}
		if strings.HasPrefix(lower, ".") && strings.IndexFunc(lower, func(r rune) bool { return r > 0x7f }) >= 0 {
			return true
		}
	}
	return false
}

// stillUntracked lists what git passed over.
func (g *gathering) stillUntracked(ctx context.Context) error {
	out, err := g.git.Read(ctx, listOthers...)
	for _, name := range splitZ(out) {
		if !strings.HasSuffix(name, "/") && refused(name) {
			g.leftOut = append(g.leftOut, name+" (git takes no such name)")
		}
	}
	return err
}
