package worktree

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A worker's HEAD and refs are read as bytes and never by a git that would take
// its configuration from the same place.

const (
	maxRefFile    = 4 << 10
	maxPackedRefs = 256 << 20
	maxRefDepth   = 5 // as git
)

// A head is what a worker's HEAD says.
type head struct {
	commit string // empty when there is none
	branch string // "refs/heads/x" when attached
}

// readHead resolves a HEAD or another ref of the worker's. A ref that names
// nothing yet is no error.
func (p *Pool) readHead(ctx context.Context, s *slot, name string) (head, error) {
	f, err := p.facts(ctx)
	if err != nil {
		return head{}, err
	}
	var h head
	for range maxRefDepth {
		text, err := readRef(s.git(), name)
		if errors.Is(err, os.ErrNotExist) {
			return h, nil
		}
		if err != nil {
			return h, fmt.Errorf("cannot read the worker's '%s': %w", name, err)
		}
		target, symbolic := strings.CutPrefix(text, "ref:")
		if !symbolic {
			if !f.validID(text) {
				return h, fmt.Errorf("the worker's '%s' is not an object id", name)
			}
			h.commit = text
			return h, nil
		}
		name = strings.TrimLeft(target, " \t")
		if h.branch = name; !validRef(name) {
			return head{}, fmt.Errorf("the worker's HEAD names '%s', which is no name of a ref", name)
		}
	}
	return h, fmt.Errorf("the worker's '%s' points at itself", name)
}

// readRef returns the text of a loose ref, else of a packed one.
func readRef(gitDir, name string) (string, error) {
	text, err := readPlain(filepath.Join(gitDir, filepath.FromSlash(name)), maxRefFile)
	if err == nil {
		return strings.TrimRight(string(text), " \t\r\n"), nil
	}
	id, found, packed := "", false, error(nil)
	if strings.HasPrefix(name, "refs/") {
		packed = eachPackedRef(gitDir, func(ref, value string) {
			if ref == name {
				id, found = value, true
			}
		})
	}
	if found {
		return id, packed
	}
	return "", errors.Join(err, packed)
}

// eachPackedRef calls f for every line of packed-refs that looks like a ref.
func eachPackedRef(gitDir string, f func(ref, id string)) error {
	file, err := openPlain(filepath.Join(gitDir, "packed-refs"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(io.LimitReader(file, maxPackedRefs))
	for lines.Scan() {
		if id, ref, ok := strings.Cut(lines.Text(), " "); ok && validRef(ref) {
			f(ref, id)
		}
	}
	return lines.Err()
}

// readPlain reads a small regular file that somebody else may have put there.
func readPlain(path string, limit int64) ([]byte, error) {
	f, err := openPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("'%s' is larger than %d bytes", filepath.Base(path), limit)
	}
	return text, err
}

// openPlain opens a regular file and nothing else: no link, and no pipe, which
// would never answer.
func openPlain(path string) (*os.File, error) {
	f, err := openQuickly(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("'%s' is not a file", filepath.Base(path))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// validRef is git's rule for names of refs (check-ref-format), under refs/.
func validRef(name string) bool {
	if !strings.HasPrefix(name, "refs/") || strings.HasSuffix(name, ".") || len(name) > 1024 {
		return false
	}
	if strings.ContainsAny(name, " ~^:?*[\\\x7f") || strings.Contains(name, "..") || strings.Contains(name, "@{") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return strings.IndexFunc(name, func(r rune) bool { return r < ' ' }) < 0
}
