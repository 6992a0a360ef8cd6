package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// noLFS keeps git-lfs out of what we do with files: what we write are pointers,
// whether it is installed or not, and nothing is fetched. What its clean filter
// would do is done by a gathering.
var noLFS = []string{"filter.lfs.clean=", "filter.lfs.smudge=", "filter.lfs.process=", "filter.lfs.required=false"}

// maxPointer is over what any pointer has, in bytes; git-lfs looks no further either.
const maxPointer = 1024

// A pointer is what a commit holds of a file that git-lfs keeps.
type pointer struct {
	oid  string // sha256 of the content
	size int64
}

func (q pointer) text() string {
	return fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", q.oid, q.size)
}

// isPointer reports whether a file's content is a pointer, of any version, and so
// stays as it is.
func isPointer(text []byte) bool {
	first, rest, _ := strings.Cut(string(text), "\n")
	about, known := strings.CutPrefix(first, "version ")
	return known && len(text) < maxPointer && strings.Contains(rest, "oid sha256:") &&
		(strings.HasPrefix(about, "https://git-lfs.github.com/spec/") || strings.HasPrefix(about, "https://hawser.github.com/spec/"))
}

// usesLFS reports whether a configuration has git-lfs set up. Without it git
// stores such files like all others.
func usesLFS(config map[string]string) bool {
	return config["filter.lfs.clean"] != "" || config["filter.lfs.process"] != ""
}

// largeFiles is the user's storage of git-lfs, nil where it is not set up. Where
// contents are not to be kept they are only named.
func (p *Pool) largeFiles(f *facts, keep bool) *storage {
	if !f.lfs {
		return nil
	}
	return &storage{dir: p.lfsDir(f), keep: keep, modes: f.config["core.filemode"] != "false"}
}

// lfsDir is where git-lfs keeps the user's contents.
func (p *Pool) lfsDir(f *facts) string {
	dir := f.config["lfs.storage"]
	switch {
	case dir == "":
		dir = "lfs"
	case filepath.IsAbs(dir):
		return dir
	}
	return filepath.Join(p.c.CommonDir, dir)
}

// pointed puts pointers to the files that git-lfs keeps into the index, and
// returns the other names.
func (g *gathering) pointed(ctx context.Context, names []string) ([]string, error) {
	if g.large == nil || len(names) == 0 {
		return names, nil
	}
	out, err := g.git.ReadIn(ctx, lines(names), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	var others []string
	var change strings.Builder
	fields := splitZ(out)
	for i := 0; i+2 < len(fields); i += 3 { // path, attribute, value
		name, line := fields[i], ""
		var err error
		if fields[i+2] == "lfs" {
			line, err = g.point(ctx, name)
		}
		switch {
		case errors.Is(err, errTouched):
			g.leftOut = append(g.leftOut, name+" (it was being written)")
		case err != nil:
			return nil, err
		case line == "":
			others = append(others, name)
		}
		change.WriteString(line)
	}
	if change.Len() > 0 {
		_, err = g.git.WriteIn(ctx, strings.NewReader(change.String()), "update-index", "-z", "--add", "--replace", "--index-info")
	}
	return others, err
}

// point returns the entry of an index that says a file is kept by git-lfs,
// nothing for a file that is none of its: it is a pointer, or empty, or git will
// find what is wrong with it.
func (g *gathering) point(ctx context.Context, name string) (string, error) {
	if g.behindLink(name) {
		return "", nil
	}
	to, perm, err := g.large.take(ctx, g.path(name))
	if ctx.Err() != nil || errors.Is(err, errStorage) || errors.Is(err, errTouched) {
		return "", err
	}
	if err != nil || to == (pointer{}) {
		return "", nil
	}
	id, err := g.git.WriteIn(ctx, strings.NewReader(to.text()), "hash-object", "-w", "--no-filters", "--stdin")
	if err != nil {
		return "", err
	}
	mode, err := g.mode(ctx, name, perm)
	return fmt.Sprintf("%s %s\t%s\x00", mode, strings.TrimSpace(string(id)), name), err
}

// mode is that of a file in the index, which alone knows it where the file system
// does not tell.
func (g *gathering) mode(ctx context.Context, name string, perm fs.FileMode) (string, error) {
	runs := perm&0o100 != 0
	if !g.large.modes {
		out, err := g.git.Read(ctx, "ls-files", "-z", "-s", "--", ":(top,literal)"+name)
		if err != nil {
			return "", err
		}
		runs = strings.HasPrefix(string(out), "100755 ")
	}
	if runs {
		return "100755", nil
	}
	return "100644", nil
}

// importLarge brings what a worker's git-lfs has stored in its own git directory
// to the user's storage, where a pointer of its commits will be looked up. The
// content decides about the name.
func (p *Pool) importLarge(ctx context.Context, s *slot) error {
	f, err := p.facts(ctx)
	if err != nil || !f.lfs || !s.gitDirInPlace() {
		return err
	}
	users := p.largeFiles(f, true)
	return filepath.WalkDir(filepath.Join(s.git(), workerLFS, "objects"), func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !isOID(d.Name()) || users.has(d.Name()) {
			return ctx.Err()
		}
		_, _, err = users.take(ctx, at)
		if ctx.Err() != nil || errors.Is(err, errStorage) {
			return err
		}
		return nil // cannot be read, or goes on being written
	})
}

func isOID(name string) bool {
	return len(name) == 64 && strings.Trim(name, "0123456789abcdef") == ""
}

// workerLFS is where the worker's git-lfs keeps contents, below its git
// directory. It reads the user's through the borrowed objects.
const workerLFS = "lfs"

// lfsConfig is what a worker's git directory says of git-lfs: as 'git lfs install
// --skip-smudge' has it, files are filled by 'git lfs pull' only.
func (p *Pool) lfsConfig(f *facts, s *slot) string {
	if !f.lfs {
		return ""
	}
	text := "[lfs]\n\tstorage = " + quoteValue(filepath.Join(s.git(), workerLFS)) + "\n[filter \"lfs\"]\n"
	if f.users["filter.lfs.smudge"] != "" {
		text += "\tsmudge = git-lfs smudge --skip -- %f\n"
	}
	if f.users["filter.lfs.process"] != "" {
		text += "\tprocess = git-lfs filter-process --skip\n"
	}
	return text
}

// lendLarge lets the worker's git-lfs find a storage of the user's that is not
// beside the objects. It looks beside each folder of objects that is borrowed.
func (p *Pool) lendLarge(f *facts, s *slot) (alternate string, err error) {
	users := p.lfsDir(f)
	if !f.lfs || users == filepath.Join(p.c.CommonDir, "lfs") {
		return "", nil
	}
	beside := filepath.Join(s.git(), "lent")
	if err := os.MkdirAll(filepath.Join(beside, "objects"), 0o700); err != nil {
		return "", err
	}
	if os.Symlink(users, filepath.Join(beside, "lfs")) != nil {
		return "", nil // a system without links: it fetches them again
	}
	return quotePath(filepath.Join(beside, "objects")) + "\n", nil
}
