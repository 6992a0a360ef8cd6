package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// What Files reads of one file and of all at most, in bytes.
const (
	maxFile  = 1 << 20
	maxFiles = 64 << 20
)

// A File is what stands at a path of a commit.
type File struct {
	// ID is its mode and object id: the same ID, the same file.
	ID string
	// Plain tells whether Text is there: it is not for links, submodules and
	// files of more than 1 MiB, nor for any beyond 64 MiB in all.
	Plain bool
	Text  string
}

// Files reads those of the paths that a commit has, from the objects alone. A
// folder is not among them.
func (p *Pool) Files(ctx context.Context, commit string, paths []string) (map[string]File, error) {
	files, err := p.files(ctx, commit, paths)
	if err != nil {
		return nil, fmt.Errorf("cannot read files of '%s': %w", commit, err)
	}
	return files, nil
}

func (p *Pool) files(ctx context.Context, commit string, paths []string) (map[string]File, error) {
	commit, err := p.commitHere(ctx, commit)
	if err != nil {
		return nil, err
	}
	all, err := p.listTree(ctx, commit)
	if err != nil {
		return nil, err
	}
	wanted := make(map[string]bool, len(paths))
	for _, name := range paths {
		wanted[name] = true
	}
	found := map[string]File{}
	ids := map[string]bool{}
	for _, e := range all {
		if wanted[e.name] {
			found[e.name] = File{ID: e.mode + " " + e.id}
			ids[e.id] = ids[e.id] || strings.HasPrefix(e.mode, "100")
		}
	}
	texts, err := p.texts(ctx, ids)
	if err != nil {
		return nil, err
	}
	for name, f := range found {
		mode, id, _ := strings.Cut(f.ID, " ")
		if text, ok := texts[id]; ok && strings.HasPrefix(mode, "100") {
			f.Plain, f.Text = true, text
			found[name] = f
		}
	}
	return found, nil
}

// texts are the contents of those blobs that are wanted and not too large.
func (p *Pool) texts(ctx context.Context, wanted map[string]bool) (map[string]string, error) {
	var ask strings.Builder
	for id, want := range wanted {
		if want {
			ask.WriteString(id + "\n")
		}
	}
	if ask.Len() == 0 {
		return nil, nil
	}
	sizes, err := p.objects().ReadIn(ctx, strings.NewReader(ask.String()), "cat-file", "--batch-check=%(objectname) %(objectsize)")
	if err != nil {
		return nil, err
	}
	ask.Reset()
	sum := 0
	for line := range strings.Lines(string(sizes)) {
		id, size, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.Atoi(size); err == nil && n <= maxFile && sum+n <= maxFiles {
			sum += n
			ask.WriteString(id + "\n")
		}
	}
	if ask.Len() == 0 {
		return nil, nil
	}
	out, err := p.objects().ReadIn(ctx, strings.NewReader(ask.String()), "cat-file", "--batch=%(objectname) %(objectsize)")
	if err != nil {
		return nil, err
	}
	return readBatch(out)
}

// readBatch reads what 'cat-file --batch' printed: a line with name and size, so
// many bytes, a newline.
func readBatch(out []byte) (map[string]string, error) {
	texts := map[string]string{}
	for len(out) > 0 {
		line, rest, _ := bytes.Cut(out, []byte("\n"))
		id, size, _ := strings.Cut(string(line), " ")
		n, err := strconv.Atoi(size)
		if err != nil || n < 0 || n >= len(rest) {
			return nil, errors.New("git printed no object where one was asked for")
		}
		texts[id], out = string(rest[:n]), rest[n+1:]
	}
	return texts, nil
}
