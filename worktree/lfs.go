package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
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

// A largeFile is a file of the tree that git-lfs keeps.
type largeFile struct {
	name string
	to   pointer
	perm fs.FileMode
}

// pointed puts pointers to the files that git-lfs keeps into the index, and
// returns the other names: of files that are none of its, that are pointers or
// empty, and those with which git will find what is wrong.
func (g *gathering) pointed(ctx context.Context, names []string) ([]string, error) {
	if g.large == nil || len(names) == 0 {
		return names, nil
	}
	out, err := g.git.ReadIn(ctx, lines(names), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	var others []string
	var large []largeFile
	fields := splitZ(out)
	for i := 0; i+2 < len(fields); i += 3 { // path, attribute, value
		name := fields[i]
		if fields[i+2] != "lfs" || g.behindLink(name) {
			others = append(others, name)
			continue
		}
		to, perm, err := g.large.take(ctx, g.path(name))
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, errStorage):
			return nil, err
		case errors.Is(err, errTouched):
			g.leftOut = append(g.leftOut, name+" (it was being written)")
		case err != nil || to == (pointer{}):
			others = append(others, name)
		default:
			large = append(large, largeFile{name, to, perm})
		}
	}
	return others, g.point(ctx, large)
}

// point puts pointers into the index.
func (g *gathering) point(ctx context.Context, files []largeFile) error {
	if len(files) == 0 {
		return nil
	}
	ids, err := g.storePointers(ctx, files)
	if err != nil {
		return err
	}
	modes, err := g.modes(ctx, files)
	if err != nil {
		return err
	}
	entries := make([]treeEntry, len(files))
	for i, f := range files {
		entries[i] = treeEntry{modes[i], ids[i], f.name}
	}
	_, err = g.git.WriteIn(ctx, strings.NewReader(indexInfo(entries)), "update-index", "-z", "--add", "--replace", "--index-info")
	return err
}

// storePointers makes objects of pointers, all by one git.
func (g *gathering) storePointers(ctx context.Context, files []largeFile) (ids []string, err error) {
	dir, err := os.MkdirTemp("", "git-flower-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var names strings.Builder
	for i, f := range files {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), []byte(f.to.text()), 0o600); err != nil {
			return nil, err
		}
		fmt.Fprintln(&names, i)
	}
	out, err := g.git.In(dir).WriteIn(ctx, strings.NewReader(names.String()), "hash-object", "-w", "--no-filters", "--stdin-paths")
	if ids = strings.Fields(string(out)); err == nil && len(ids) != len(files) {
		err = fmt.Errorf("git stored %d of %d pointers", len(ids), len(files))
	}
	return ids, err
}

// modes are those of files in the index, which alone knows them where the file
// system does not tell.
func (g *gathering) modes(ctx context.Context, files []largeFile) ([]string, error) {
	runs := map[string]bool{}
	if !g.large.modes {
		out, err := g.git.Read(ctx, "ls-files", "-z", "-s")
		if err != nil {
			return nil, err
		}
		for _, entry := range splitZ(out) {
			what, name, _ := strings.Cut(entry, "\t")
			runs[name] = strings.HasPrefix(what, "100755 ")
		}
	}
	modes := make([]string, len(files))
	for i, f := range files {
		modes[i] = "100644"
		if runs[f.name] || g.large.modes && f.perm&0o100 != 0 {
			modes[i] = "100755"
		}
	}
	return modes, nil
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
