package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-flower/gitstate"
)

// plumbing writes a record of ours once more into another repository, by four
// processes of git: all blobs, all trees, the commit, the ref. It gets its
// input ready made.
type plumbing struct {
	from, git program // reads our repository, writes the other
	files     string  // folder for the blobs' contents

	blobs  []string // files
	trees  string   // input of mktree, inner folders first
	commit string
	id     string
	tip    string // of the other repository
	count  [3]int // blobs, trees, bytes of the commit
}

func newPlumbing(ours, other string, noSync bool) *plumbing {
	fsync := "core.fsync=loose-object,reference"
	if noSync {
		fsync = "core.fsync=none"
	}
	return &plumbing{from: program{name: "git", dir: ours}, files: other,
		git: program{name: "git", dir: other, lead: []string{"-c", fsync}}}
}

// prepare reads the record that is next after the other repository's tip. Up to
// id there is only one.
func (p *plumbing) prepare(ctx context.Context, id gitstate.ObjectID) error {
	var err error
	p.id = string(id)
	if p.tip, err = p.line(ctx, p.git, "rev-parse", runRef); err != nil {
		return err
	}
	if p.commit, err = p.from.read(ctx, "", "cat-file", "commit", p.id); err != nil {
		return err
	}
	if !strings.Contains(p.commit, "\nparent "+p.tip+"\n") {
		return fmt.Errorf("record '%s' does not follow '%s'", p.id, p.tip)
	}
	return p.objects(ctx)
}

// objects finds the blobs and trees that the record brought.
func (p *plumbing) objects(ctx context.Context) error {
	list, err := p.from.read(ctx, "", "rev-list", "--objects", p.id, "^"+p.tip)
	if err != nil {
		return err
	}
	type found struct{ id, path string }
	var trees []found
	p.blobs, p.trees = nil, ""
	for line := range strings.Lines(list) {
		id, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		kind, err := p.line(ctx, p.from, "cat-file", "-t", id)
		if err != nil {
			return err
		}
		switch kind {
		case "tree":
			trees = append(trees, found{id, path})
		case "blob":
			if err := p.blob(ctx, id); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(trees, func(a, b found) int { return cmp.Compare(len(b.path), len(a.path)) })
	for _, tree := range trees {
		entries, err := p.from.read(ctx, "", "ls-tree", tree.id)
		if err != nil {
			return err
		}
		p.trees += entries + "\n"
	}
	p.count = [3]int{len(p.blobs), len(trees), len(p.commit)}
	return nil
}

func (p *plumbing) blob(ctx context.Context, id string) error {
	content, err := p.from.read(ctx, "", "cat-file", "blob", id)
	if err != nil {
		return err
	}
	file := filepath.Join(p.files, fmt.Sprintf("blob-%d", len(p.blobs)))
	p.blobs = append(p.blobs, file)
	return os.WriteFile(file, []byte(content), 0o644)
}

// write is what is measured.
func (p *plumbing) write(ctx context.Context) error {
	if _, err := p.git.read(ctx, strings.Join(p.blobs, "\n")+"\n", "hash-object", "-w", "--no-filters", "--stdin-paths"); err != nil {
		return err
	}
	if _, err := p.git.read(ctx, p.trees, "mktree", "--batch"); err != nil {
		return err
	}
	id, err := p.git.read(ctx, p.commit, "hash-object", "-t", "commit", "-w", "--stdin")
	if err != nil {
		return err
	}
	_, err = p.git.read(ctx, "", "update-ref", "--create-reflog", "-m", "git flower", runRef, strings.TrimSpace(id), p.tip)
	return err
}

// catchUp writes the last record too and makes sure that both repositories hold
// the same: the ref, its log and as many objects, all of them whole.
func (p *plumbing) catchUp(ctx context.Context, tip gitstate.ObjectID) error {
	if err := p.prepare(ctx, tip); err != nil {
		return err
	}
	if err := p.write(ctx); err != nil {
		return err
	}
	for _, args := range [][]string{{"rev-parse", runRef}, {"reflog", "show", "--format=%H", runRef}, {"count-objects"}} {
		ours, err := p.from.read(ctx, "", args...)
		if err != nil {
			return err
		}
		other, err := p.git.read(ctx, "", args...)
		if err != nil {
			return err
		}
		if args[0] == "count-objects" { // its sizes depend on how well each compresses
			ours, _, _ = strings.Cut(ours, ",")
			other, _, _ = strings.Cut(other, ",")
		}
		if ours != other {
			return fmt.Errorf("git %s differs: '%.200s' by us, '%.200s' by git", args[0], ours, other)
		}
	}
	_, err := p.git.read(ctx, "", "fsck", "--strict", "--no-progress")
	return err
}

// size tells what one record is.
func (p *plumbing) size() string {
	return fmt.Sprintf("%d blob, %d trees, a commit of %d bytes", p.count[0], p.count[1], p.count[2])
}

func (p *plumbing) line(ctx context.Context, git program, args ...string) (string, error) {
	out, err := git.read(ctx, "", args...)
	return strings.TrimSuffix(out, "\n"), err
}
