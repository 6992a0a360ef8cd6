package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-flower/gitstate/gitcmd"
)

// Changes are the uncommitted changes of the user's checkout, kept.
type Changes struct {
	Head    string   // the commit that is checked out
	Commit  string   // holds the files as they are, with Head as its parent; Head itself where nothing differs
	Paths   []string // what differs between the two
	LeftOut []string // changes that Commit does not hold, and why
	Staged  []string // files staged in a form that neither Head nor the file itself has; Commit holds the file
}

// keptSubject begins the message of a commit that KeepChanges made.
const keptSubject = "Uncommitted changes"

// KeepChanges makes a commit of the user's checkout: what is tracked as the
// files are now, and what is untracked and not ignored. Files that HEAD does not
// hold and that are over the limit, repositories inside the checkout, changes
// inside submodules, and files that are hidden from git by a flag are listed
// instead. The checkout, its index, refs and stashes stay as they are. Errors are
// ErrBare, ErrUnborn, *InProgressError and, where files are in conflict,
// *ConflictError.
func (p *Pool) KeepChanges(ctx context.Context) (Changes, error) {
	c, err := p.keepChanges(ctx)
	if err != nil {
		return c, fmt.Errorf("cannot keep the changes of the checkout: %w", err)
	}
	return c, nil
}

func (p *Pool) keepChanges(ctx context.Context) (c Changes, err error) {
	v, err := p.viewCheckout(ctx)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	c.Head, c.Commit = v.head, v.head
	tree, leftOut, err := v.draw(ctx, v.head, p.c.Limit)
	if err != nil {
		return c, err
	}
	c.LeftOut = leftOut
	out, err := p.objects().Read(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", v.head, tree)
	if c.Paths = splitZ(out); err != nil || len(c.Paths) == 0 {
		return c, err
	}
	if c.Staged, err = v.stagedOnly(ctx); err != nil {
		return c, err
	}
	c.Commit, err = p.writeCommit(ctx, p.objects(), tree, changesMessage(v.head, leftOut), v.head)
	return c, err
}

func changesMessage(head string, leftOut []string) string {
	text := snapshotMessage("checkout", head, leftOut, nil)
	_, rest, _ := strings.Cut(text, "\n")
	return keptSubject + "\n" + rest
}

// A view is the user's checkout seen through an index of ours.
type view struct {
	users  gitcmd.Git // at the top of the checkout, as the user runs it
	git    gitcmd.Git // the same files, our index
	top    string
	head   string
	large  *storage // of git-lfs
	dir    string   // what is ours: the index
	hidden []string // entries of the user's index that git does not compare with files, sorted
}

// viewCheckout makes a view of a checkout that is in no middle of anything. The
// caller closes it.
func (p *Pool) viewCheckout(ctx context.Context) (*view, error) {
	return p.viewCheckoutIn(ctx, p.c.State)
}

// viewCheckoutIn is viewCheckout with what is ours in a folder, "" for the usual.
func (p *Pool) viewCheckoutIn(ctx context.Context, folder string) (*view, error) {
	if folder == "" {
		folder = p.c.State
	}
	f, err := p.facts(ctx)
	if err != nil {
		return nil, err
	}
	v := &view{users: p.c.Git, large: p.largeFiles(f, true)}
	if v.top, err = v.users.Line(ctx, "rev-parse", "--show-toplevel"); err != nil || v.top == "" {
		return nil, ErrBare
	}
	v.users = v.users.In(v.top)
	if v.head, err = v.users.Line(ctx, "rev-parse", "--verify", "-q", "HEAD^{commit}"); err != nil {
		return nil, ErrUnborn
	}
	if op := operationIn(p.c.GitDir); op != "" {
		return nil, &InProgressError{Operation: op}
	}
	if err := v.flags(ctx); err != nil {
		return nil, err
	}
	if v.dir, err = os.MkdirTemp(folder, "checkout-"); err != nil {
		return nil, err
	}
	v.git = p.objects().In(v.top).Env("GIT_WORK_TREE="+v.top, "GIT_INDEX_FILE="+v.index())
	if err := v.copyIndex(ctx, v.index()); err != nil {
		return nil, errors.Join(err, v.close())
	}
	return v, nil
}

func (v *view) index() string { return filepath.Join(v.dir, "index.ours") }

func (v *view) close() error { return os.RemoveAll(v.dir) }

// flags finds what the user's index says of its entries besides their content.
func (v *view) flags(ctx context.Context) error {
	out, err := v.users.Read(ctx, "ls-files", "-z", "-v")
	if err != nil {
		return err
	}
	var conflicts []string
	for _, line := range splitZ(out) {
		flag, name, _ := strings.Cut(line, " ")
		switch {
		case flag == "M" || flag == "m":
			conflicts = append(conflicts, name)
		case flag == "S" || flag != strings.ToUpper(flag):
			v.hidden = append(v.hidden, name)
		}
	}
	slices.Sort(v.hidden)
	if len(conflicts) > 0 {
		return &ConflictError{Paths: slices.Compact(conflicts)}
	}
	return nil
}

// copyIndex takes what the user's index remembers of the files, so that those
// that did not change need not be read.
func (v *view) copyIndex(ctx context.Context, to string) error {
	from, err := v.users.Line(ctx, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return err
	}
	err = copyFile(from, to)
	if errors.Is(err, os.ErrNotExist) {
		return removeIfThere(to)
	}
	return err
}

// load brings our index to a commit. What is hidden in the user's is hidden here,
// and nothing else: as long as nobody writes the user's index, it says of a file
// outside of a sparse checkout's cone that it is not there, even when it is.
func (v *view) load(ctx context.Context, commit string) error {
	if err := v.show(ctx); err != nil {
		return err
	}
	if _, err := v.git.Write(ctx, "read-tree", "--reset", commit); err != nil {
		return err
	}
	if len(v.hidden) == 0 {
		return nil
	}
	out, err := v.git.Read(ctx, "ls-files", "-z")
	if err != nil {
		return err
	}
	hide := slices.DeleteFunc(splitZ(out), func(name string) bool {
		_, hidden := slices.BinarySearch(v.hidden, name)
		return !hidden
	})
	return v.flag(ctx, "--skip-worktree", hide)
}

// show takes all flags from our index: git does not reset an entry that has one
// while its file differs.
func (v *view) show(ctx context.Context) error {
	out, err := v.git.Read(ctx, "ls-files", "-z", "-v")
	if err != nil {
		return err
	}
	var skipped, assumed []string
	for _, line := range splitZ(out) {
		flag, name, _ := strings.Cut(line, " ")
		if strings.EqualFold(flag, "S") {
			skipped = append(skipped, name)
		}
		if flag != strings.ToUpper(flag) {
			assumed = append(assumed, name)
		}
	}
	return errors.Join(v.flag(ctx, "--no-skip-worktree", skipped), v.flag(ctx, "--no-assume-unchanged", assumed))
}

// flag sets or clears a flag of entries of our index.
func (v *view) flag(ctx context.Context, how string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	_, err := v.git.WriteIn(ctx, lines(names), "update-index", "-z", how, "--stdin")
	return err
}

// draw writes the tree of the files as they are now. What the commit on holds is
// tracked, whatever git's rules say of its name.
func (v *view) draw(ctx context.Context, on string, limit int64) (tree string, leftOut []string, err error) {
	if err := v.load(ctx, on); err != nil {
		return "", nil, err
	}
	g := &gathering{git: v.git, root: v.top, limit: limit, large: v.large}
	if err := g.listChanges(ctx); err != nil {
		return "", nil, err
	}
	if err := g.tracked(ctx); err != nil {
		return "", nil, err
	}
	if err := g.untracked(ctx); err != nil {
		return "", nil, err
	}
	if err := v.addIgnored(ctx, g, on); err != nil {
		return "", nil, err
	}
	v.nameHidden(g)
	slices.Sort(g.leftOut)
	out, err := v.git.Write(ctx, "write-tree")
	return strings.TrimSpace(string(out)), slices.Compact(g.leftOut), err
}

// listChanges asks for what is changed and new. Repositories inside the checkout
// are listed, not entered: they are the user's own affair.
func (g *gathering) listChanges(ctx context.Context) (err error) {
	if g.changedOut, err = g.git.Read(ctx, "diff-files", "-z", "--raw", "--no-abbrev", "--ignore-submodules=none"); err != nil {
		return err
	}
	out, err := g.git.Read(ctx, listOthers...)
	var files []string
	for _, name := range splitZ(out) {
		if strings.HasSuffix(name, "/") {
			g.leftOut = append(g.leftOut, name+" (a repository of its own)")
			continue
		}
		files = append(files, name)
	}
	g.othersOut = []byte(strings.Join(files, "\x00"))
	return err
}

// addIgnored takes up what the user added against the rules of .gitignore and the
// commit on does not hold.
func (v *view) addIgnored(ctx context.Context, g *gathering, on string) error {
	out, err := v.users.Read(ctx, "diff-index", "--cached", "-z", "--name-only", "--no-renames", "--diff-filter=A", on)
	if err != nil {
		return err
	}
	var names []string
	for _, name := range splitZ(out) {
		info, err := os.Lstat(g.path(name))
		if err == nil && !info.IsDir() && g.fits(name) {
			names = append(names, name)
		}
	}
	return g.add(ctx, names)
}

// nameHidden lists the files that are there and that git was told not to look at.
func (v *view) nameHidden(g *gathering) {
	for _, name := range v.hidden {
		if g.isFile(name) {
			g.leftOut = append(g.leftOut, name+" (hidden from git by a flag)")
		}
	}
}

// stagedOnly lists the files whose staged form is neither HEAD's nor the file's.
func (v *view) stagedOnly(ctx context.Context) ([]string, error) {
	out, err := v.users.Read(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames")
	var only []string
	for _, entry := range splitZ(out) {
		if len(entry) > 3 && entry[0] != ' ' && entry[1] != ' ' {
			only = append(only, entry[3:])
		}
	}
	return only, err
}
