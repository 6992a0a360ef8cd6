package worktree

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"git-flower/gitstate/gitcmd"
)

// unfinished are the files by which git remembers a command that stopped on the
// way.
var unfinished = []string{
	"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "AUTO_MERGE", "SQUASH_MSG", "CHERRY_PICK_HEAD",
	"REVERT_HEAD", "REBASE_HEAD", "sequencer", "rebase-merge", "rebase-apply", "BISECT_LOG", "BISECT_START", "index.lock", "HEAD.lock",
}

// operations are those of them that name the command.
var operations = []struct{ file, name string }{
	{"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"MERGE_HEAD", "merge"},
	{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
}

// unfinishedHead is where the worker's git directory keeps the commits that a
// rebase it did not finish set out from: they are in nobody's history.
const unfinishedHead = "UNFINISHED_HEAD"

func (p *Pool) keepRebased(ctx context.Context, s *slot) error {
	f, err := p.facts(ctx)
	if err != nil {
		return err
	}
	for _, dir := range []string{"rebase-merge", "rebase-apply"} {
		text, err := readPlain(filepath.Join(s.git(), dir, "orig-head"), maxRefFile)
		id := strings.TrimSpace(string(text))
		if err != nil || !f.validID(id) {
			continue
		}
		if err := putFile(s, unfinishedHead, id+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func operationIn(gitDir string) string {
	for _, op := range operations {
		if _, err := os.Lstat(filepath.Join(gitDir, op.file)); err == nil {
			return op.name
		}
	}
	return ""
}

// parents are those of the commit that takes up a tree's files.
func (p *Pool) parents(ctx context.Context, s *slot, d *draft, notes *[]string) ([]string, error) {
	parents := []string{d.head}
	related, err := p.related(ctx, s.owner.Base, d.head)
	if err != nil {
		return nil, err
	}
	if !related {
		*notes = append(*notes, "the worker's history does not go back to its base; the base was made its first parent")
		parents = []string{s.owner.Base, d.head}
	}
	op := operationIn(s.git())
	if op == "" {
		return parents, nil
	}
	marked, err := p.conflicted(ctx, s, d)
	if err != nil {
		return nil, err
	}
	if len(marked) > 0 {
		*notes = append(*notes, fmt.Sprintf("a %s was left half done, with conflict markers in %s", op, strings.Join(marked, ", ")))
		return parents, nil
	}
	*notes = append(*notes, fmt.Sprintf("a %s was left half done; its files were taken as they are", op))
	if op == "merge" {
		return append(parents, p.mergeHeads(ctx, s, notes)...), nil
	}
	return parents, nil
}

// related reports whether two commits have history in common.
func (p *Pool) related(ctx context.Context, a, b string) (bool, error) {
	if a == b {
		return true, nil
	}
	out, err := p.objects().Read(ctx, "merge-base", a, b)
	if len(out) == 0 && err != nil && gitcmd.ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// mergeHeads are the commits that a half-done merge would bring in.
func (p *Pool) mergeHeads(ctx context.Context, s *slot, notes *[]string) []string {
	text, err := readPlain(filepath.Join(s.git(), "MERGE_HEAD"), maxRefFile)
	if err != nil {
		*notes = append(*notes, err.Error())
		return nil
	}
	var heads []string
	for id := range strings.FieldsSeq(string(text)) {
		if f, err := p.facts(ctx); err != nil || !f.validID(id) {
			*notes = append(*notes, fmt.Sprintf("the merge names '%s', which is no commit", id))
			continue
		}
		if err := p.bring(ctx, s, p.borrowing(s), id, s.owner.Base, s.owner.Tip); err != nil {
			*notes = append(*notes, err.Error())
			continue
		}
		heads = append(heads, id)
	}
	return heads
}

// conflicted lists the files that differ from head and hold conflict markers.
func (p *Pool) conflicted(ctx context.Context, s *slot, d *draft) ([]string, error) {
	out, err := p.drafting(s, p.objects()).Read(ctx, "diff-tree", "-r", "-z", "--name-only", "--diff-filter=AMT", d.head, d.tree)
	if err != nil {
		return nil, err
	}
	var marked []string
	for _, name := range splitZ(out) {
		f, err := openPlain(filepath.Join(s.tree(), filepath.FromSlash(name)))
		if err != nil {
			continue // a link or gone
		}
		if hasMarkers(f) {
			marked = append(marked, name)
		}
		f.Close()
	}
	return marked, nil
}

// hasMarkers looks for the three lines of a conflict, in their order.
func hasMarkers(r io.Reader) bool {
	want := [][]byte{[]byte("<<<<<<< "), []byte("======="), []byte(">>>>>>> ")}
	lines := bufio.NewReaderSize(r, 64<<10)
	begins := true
	for len(want) > 0 {
		line, more, err := lines.ReadLine()
		if err != nil {
			return false
		}
		if begins && bytes.HasPrefix(line, want[0]) {
			want = want[1:]
		}
		begins = !more
	}
	return true
}

// restoreDeleted puts a tree's files back when somebody removed the folder or all
// that was in it.
func (p *Pool) restoreDeleted(ctx context.Context, s *slot) error {
	gone, err := p.deleted(ctx, s)
	if err != nil || !gone {
		return err
	}
	if err := s.set(func(o *owner) { o.Refill = true }); err != nil {
		return err
	}
	if err := p.discard(s.tree()); err != nil {
		return err
	}
	if err := errors.Join(os.Mkdir(s.tree(), 0o700), removeIfThere(s.index())); err != nil {
		return err
	}
	if err := p.checkOut(ctx, s, s.owner.Saved); err != nil {
		return err
	}
	if err := linkTree(s); err != nil {
		return err
	}
	return s.set(func(o *owner) {
		o.Refill = false
		o.Notes = append(o.Notes, "the tree was deleted; the files of the last snapshot were put back")
	})
}

func (p *Pool) deleted(ctx context.Context, s *slot) (bool, error) {
	info, err := os.Lstat(s.tree())
	if err != nil || !info.IsDir() || s.owner.Refill {
		return true, nil
	}
	entries, err := os.ReadDir(s.tree())
	if err != nil {
		return false, err
	}
	if len(entries) > 1 || len(entries) == 1 && entries[0].Name() != ".git" {
		return false, nil
	}
	out, err := p.objects().Read(ctx, "ls-tree", "-z", "--name-only", "--end-of-options", s.owner.Saved)
	if err != nil || len(out) == 0 || s.cone.rules == "" {
		return len(out) > 0, err
	}
	return p.holdsFiles(ctx, s)
}

// holdsFiles reports whether the cone of a sparse tree holds any.
func (p *Pool) holdsFiles(ctx context.Context, s *slot) (bool, error) {
	out, err := p.trusted(s, s.index()).In(p.emptyDir()).Env("GIT_WORK_TREE="+p.emptyDir()).Read(ctx, "ls-files", "-z", "-t")
	for _, entry := range splitZ(out) {
		if !strings.HasPrefix(entry, "S ") {
			return true, err
		}
	}
	return false, err
}
