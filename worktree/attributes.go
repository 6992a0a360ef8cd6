package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// attributes makes a folder with the attribute files of a commit, which say how
// its files are merged. Git looks for them in the folder it runs in.
func (p *Pool) attributes(ctx context.Context, commit string) (string, error) {
	dir, err := os.MkdirTemp("", "git-flower-")
	if err != nil {
		return "", err
	}
	if err := p.extract(ctx, dir, commit); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

func (p *Pool) extract(ctx context.Context, dir, commit string) error {
	all, err := p.listTree(ctx, commit)
	if err != nil {
		return err
	}
	var names []string
	var ids strings.Builder
	for _, e := range all {
		if path.Base(e.name) == ".gitattributes" && strings.HasPrefix(e.mode, "100") && filepath.IsLocal(filepath.FromSlash(e.name)) {
			names = append(names, e.name)
			ids.WriteString(e.id + "\n")
		}
	}
	if len(names) == 0 {
		return nil
	}
	out, err := p.objects().ReadIn(ctx, strings.NewReader(ids.String()), "cat-file", "--batch")
	for _, name := range names {
		var text []byte
		if text, out, err = nextObject(out, err); err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// nextObject takes one object from what 'cat-file --batch' printed.
func nextObject(out []byte, failed error) (text, rest []byte, err error) {
	if failed != nil {
		return nil, nil, failed
	}
	header, rest, _ := bytes.Cut(out, []byte("\n"))
	fields := bytes.Fields(header)
	if len(fields) != 3 {
		return nil, nil, fmt.Errorf("cannot read an object: git says '%s'", header)
	}
	size, err := strconv.Atoi(string(fields[2]))
	if err != nil || size < 0 || size >= len(rest) {
		return nil, nil, fmt.Errorf("cannot read an object: git says '%s'", header)
	}
	return rest[:size], rest[size+1:], nil
}
