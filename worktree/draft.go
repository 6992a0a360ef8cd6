package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// A draft is the files of a tree as objects that are not the user's yet.
type draft struct {
	tree    string
	leftOut []string
	head    string // the commit it was made on
	index   string // copy of our index that holds the files
}

// draw makes a draft of a slot's files. A fresh one remembers nothing and reads
// every file, and keeps no content for git-lfs. The caller drops it.
func (p *Pool) draw(ctx context.Context, s *slot, head string, fresh bool) (*draft, error) {
	if err := os.MkdirAll(s.drafts(), 0o700); err != nil {
		return nil, err
	}
	moved, err := p.follow(ctx, s)
	if err != nil {
		return nil, err
	}
	index, err := s.copyIndex(fresh || moved)
	if err != nil {
		return nil, err
	}
	d := &draft{head: head, index: index}
	if d.leftOut, err = p.gather(ctx, s, head, index, !fresh); err == nil {
		d.tree, err = p.draftTree(ctx, s, d)
	}
	if err != nil {
		return nil, errors.Join(err, p.drop(s, d))
	}
	return d, nil
}

// drop forgets a draft and its objects.
func (p *Pool) drop(s *slot, d *draft) error {
	return errors.Join(removeIndex(d.index), p.discard(s.drafts()))
}

func (p *Pool) draftTree(ctx context.Context, s *slot, d *draft) (string, error) {
	out, err := p.drafting(s, p.trusted(s, d.index)).Write(ctx, "write-tree")
	return strings.TrimSpace(string(out)), err
}

// commitDraft makes a commit of a draft and brings it into the user's objects.
// Git's own files may hold what git refuses; such files stay as head has them,
// and when nothing else changed the commit is the parent itself.
func (p *Pool) commitDraft(ctx context.Context, s *slot, d *draft, message string, parents []string) (string, error) {
	commit, err := p.tryDraft(ctx, s, d, message, parents)
	if err == nil || ctx.Err() != nil {
		return commit, err
	}
	refused, bad := p.takeBack(ctx, s, d)
	if bad != nil || len(refused) == 0 {
		return "", errors.Join(err, bad)
	}
	for _, name := range refused {
		d.leftOut = append(d.leftOut, name+" (git refuses what is in it)")
	}
	slices.Sort(d.leftOut)
	if len(parents) == 1 {
		before, err := p.treeOf(ctx, parents[0])
		if err != nil {
			return "", err
		}
		if before == d.tree {
			return parents[0], s.keepIndex(d.index)
		}
	}
	return p.tryDraft(ctx, s, d, message, parents)
}

func (p *Pool) tryDraft(ctx context.Context, s *slot, d *draft, message string, parents []string) (string, error) {
	made := p.drafting(s, p.objects())
	commit, err := p.writeCommit(ctx, made, d.tree, message, parents...)
	if err != nil {
		return "", err
	}
	if err := p.bring(ctx, s, made.With(unseen...), commit, parents...); err != nil {
		return "", err
	}
	return commit, s.keepIndex(d.index)
}

// takeBack puts the files that git reads itself back to what head has, where
// they differ, and returns their names.
func (p *Pool) takeBack(ctx context.Context, s *slot, d *draft) ([]string, error) {
	out, err := p.drafting(s, p.objects()).Read(ctx, "diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", d.head, d.tree)
	if err != nil {
		return nil, err
	}
	var names []string
	var change strings.Builder
	fields := splitZ(out)
	for i := 0; i+1 < len(fields); i += 2 {
		if !gitReads(fields[i+1]) {
			continue
		}
		was := strings.Fields(strings.TrimPrefix(fields[i], ":")) // old mode, new mode, old id, …
		mode := was[0]
		if strings.Trim(mode, "0") == "" {
			mode = "0"
		}
		names = append(names, fields[i+1])
		fmt.Fprintf(&change, "%s %s\t%s\x00", mode, was[2], fields[i+1])
	}
	if len(names) == 0 {
		return nil, nil
	}
	g := p.drafting(s, p.trusted(s, d.index))
	if _, err := g.WriteIn(ctx, strings.NewReader(change.String()), "update-index", "-z", "--add", "--replace", "--index-info"); err != nil {
		return nil, err
	}
	d.tree, err = p.draftTree(ctx, s, d)
	return names, err
}

// gitReads reports whether a name may be one that git itself reads: .gitmodules
// or .gitattributes, in any spelling of any file system ("GITMOD~1").
func gitReads(name string) bool {
	base := strings.ToLower(path.Base(name))
	return strings.HasPrefix(base, ".git") || strings.HasPrefix(base, "gi")
}
