package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-flower/gitstate/gitcmd"
)

// settled keeps the user's configuration from changing what our index is or
// where it lives: a split index or an untracked cache would write into the
// user's git directory, a minimal stat would overlook edits.
var settled = []string{
	"core.splitIndex=false", "core.untrackedCache=false", "index.sparse=false",
	"core.sparseCheckout=false", "sparse.expectFilesOutsideOfPatterns=false", "core.trustctime=true", "core.checkStat=default",
	"core.safecrlf=false", "submodule.recurse=false", "core.quotePath=false",
	"advice.addEmbeddedRepo=false", "gc.auto=0",
}

// unseen keeps git from believing what a worker's object folder says about its
// objects besides the objects themselves.
var unseen = []string{"core.commitGraph=false", "core.multiPackIndex=false", "pack.useBitmaps=false"}

// trusted runs git on a tree's files. The repository and so the configuration
// are the user's, the index is ours; of the tree only files are read.
func (p *Pool) trusted(s *slot, index string) gitcmd.Git {
	g := p.objects().In(s.tree()).Env("GIT_WORK_TREE="+s.tree(), "GIT_INDEX_FILE="+index)
	if s.cone.rules == "" {
		return g
	}
	return g.Env("GIT_DIR="+s.coneDir(), "GIT_COMMON_DIR="+p.c.CommonDir).With(s.cone.config()...)
}

// objects runs git on the user's objects alone, in a folder without files.
func (p *Pool) objects() gitcmd.Git {
	g := p.unsettled().With(settled...).With(noLFS...)
	if !p.c.NoSync {
		g = g.With("core.fsync=committed", "core.fsyncMethod=batch")
	}
	return g
}

// unsettled is objects with the user's configuration as it is, for looking at it.
func (p *Pool) unsettled() gitcmd.Git {
	empty := p.emptyDir()
	env := []string{
		"GIT_DIR=" + p.c.GitDir, "GIT_WORK_TREE=" + empty, "GIT_INDEX_FILE=" + filepath.Join(empty, "none"),
		"GIT_NO_REPLACE_OBJECTS=1",
	}
	if p.c.CommonDir != p.c.GitDir {
		env = append(env, "GIT_COMMON_DIR="+p.c.CommonDir)
	}
	return gitcmd.Foreign(empty, env...)
}

// borrowing is objects with a worker's objects beside the user's.
func (p *Pool) borrowing(s *slot) gitcmd.Git {
	theirs := quotePath(filepath.Join(s.git(), "objects"))
	return p.objects().Env("GIT_ALTERNATE_OBJECT_DIRECTORIES=" + theirs).With(unseen...)
}

// drafting is g with what it writes going into the slot's drafts.
func (p *Pool) drafting(s *slot, g gitcmd.Git) gitcmd.Git { return p.writingTo(s.drafts(), g) }

// writingTo is g with what it writes going into a folder of objects that will
// not be kept, with the user's objects beside them.
func (p *Pool) writingTo(dir string, g gitcmd.Git) gitcmd.Git {
	users := quotePath(filepath.Join(p.c.CommonDir, "objects"))
	return g.Env("GIT_OBJECT_DIRECTORY="+dir, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+users).With("core.fsync=none")
}

// Facts about the user's repository that do not change under us.
type facts struct {
	version gitcmd.Version
	format  string            // "sha1", "sha256"
	config  map[string]string // last value of each key, keys as git prints them
	users   map[string]string // the same without what we set
	ident   string            // "Name <mail>"
	cone    cone              // of the user's checkout
	lfs     bool              // whether git-lfs is set up

	conversions string // see conversions
}

// digits is the length of an object id.
func (f *facts) digits() int {
	if f.format == "sha256" {
		return 64
	}
	return 40
}

// converts reports whether git may convert files that no attribute speaks of.
func (f *facts) converts() bool {
	autocrlf := f.config["core.autocrlf"]
	return autocrlf == "input" || isTrue(autocrlf)
}

// validID reports whether id is a whole object id of the repository.
func (f *facts) validID(id string) bool {
	if len(id) != f.digits() {
		return false
	}
	return strings.Trim(id, "0123456789abcdef") == ""
}

// facts asks git once.
func (p *Pool) facts(ctx context.Context) (*facts, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known != nil {
		return p.known, nil
	}
	if err := p.makeDirs(); err != nil {
		return nil, err
	}
	version, err := p.objects().CheckVersion(ctx)
	if err != nil {
		return nil, err
	}
	f := &facts{version: version, ident: p.c.Identity}
	if f.config, err = readConfig(ctx, p.objects()); err != nil {
		return nil, err
	}
	if f.users, err = readConfig(ctx, p.unsettled()); err != nil {
		return nil, err
	}
	f.lfs = usesLFS(f.users)
	f.conversions = conversions(f.config, p.c.CommonDir)
	if f.format, err = objectFormat(f.config["extensions.objectformat"]); err != nil {
		return nil, err
	}
	if f.cone, err = p.readUserCone(f.users); err != nil {
		return nil, err
	}
	if f.ident == "" {
		f.ident = p.identity(ctx)
	}
	p.known = f
	return f, nil
}

func objectFormat(name string) (string, error) {
	switch name {
	case "", "sha1":
		return "sha1", nil
	case "sha256":
		return name, nil
	}
	return "", fmt.Errorf("cannot make trees for object format '%s'", name)
}

func readConfig(ctx context.Context, g gitcmd.Git) (map[string]string, error) {
	out, err := g.Read(ctx, "config", "-z", "--list")
	if err != nil {
		return nil, err
	}
	return parseConfig(out), nil
}

// parseConfig reads what 'config -z --list' prints.
func parseConfig(out []byte) map[string]string {
	config := map[string]string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		config[key] = value
	}
	return config
}

// identity is the user's, as git finds it, or our own where there is none.
func (p *Pool) identity(ctx context.Context) string {
	line, err := p.c.Git.Line(ctx, "var", "GIT_AUTHOR_IDENT")
	if end := strings.LastIndexByte(line, '>'); err == nil && end > 0 {
		return line[:end+1]
	}
	return "git flower <flower@localhost>"
}

// commit checks that id is a commit in the user's objects and returns it in full.
func (p *Pool) commit(ctx context.Context, id string) (string, error) {
	full, err := p.objects().Line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", id+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("'%s' is not a commit of the repository", id)
	}
	return full, nil
}

// contains reports whether commit ancestor is part of the history of commit.
func (p *Pool) contains(ctx context.Context, commit, ancestor string) (bool, error) {
	if commit == ancestor {
		return true, nil
	}
	_, err := p.objects().Read(ctx, "merge-base", "--is-ancestor", ancestor, commit)
	if gitcmd.ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

func (p *Pool) treeOf(ctx context.Context, commit string) (string, error) {
	return p.objects().Line(ctx, "rev-parse", "--verify", "--end-of-options", commit+"^{tree}")
}

// quotePath writes a path the way a list of object folders wants it.
func quotePath(path string) string {
	if !strings.ContainsAny(path, "\"\\\n"+string(os.PathListSeparator)) {
		return path
	}
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	return `"` + r.Replace(path) + `"`
}
