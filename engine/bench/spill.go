package bench

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"git-flower/guards"
)

const spillFolder = "spill"

// Spill keeps a text on the bench and returns its file. The file is there, whole
// and for good, when it returns: the same text is the same file. What a worker
// may have put in its place is replaced.
func (b *Bench) Spill(text string) (file string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		return "", fmt.Errorf("open the bench: %w", err)
	}
	defer root.Close()
	if err := root.Mkdir(spillFolder, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("make the folder '%s' of the bench: %w", spillFolder, err)
	}
	name := spillName(text)
	if !holds(root, filepath.Join(spillFolder, name), text) {
		if err := replaceIn(root, spillFolder, name, []byte(text)); err != nil {
			return "", fmt.Errorf("keep a long result as '%s': %w", name, err)
		}
	}
	return filepath.Join(b.dir, spillFolder, name), nil
}

// spillName is the file that a text is kept in.
func spillName(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x.txt", sum[:8])
}

// holds tells whether a file is a regular one with exactly this text.
func holds(root *os.Root, name, text string) bool {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return false
	}
	f, err := root.OpenFile(name, os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(len(text))+1))
	return err == nil && bytes.Equal(data, []byte(text))
}

// Reads tells whether a call reads a spilled file; p tells where paths lead.
func (b *Bench) Reads(c guards.Call, p guards.Places) bool {
	dir := filepath.Join(b.dir, spillFolder)
	return guards.Spill{Dir: dir, Places: p, Known: func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name+".txt"))
		return err == nil
	}}.Reads(c)
}
