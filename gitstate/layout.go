package gitstate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-flower/gitstate/gitcmd"
)

// Layout says where everything of a repository lies.
type Layout struct {
	GitDir       string // of this working tree
	CommonDir    string // shared by all working trees
	TopLevel     string // "" outside of a working tree
	Bare         bool
	ObjectFormat string // "sha1" or "sha256"

	Flower string // what never travels: <CommonDir>/flower
	// State and ID are settled by Settle, Create or Lock; before that, in a
	// repository that never had a run, they are what this process would choose.
	State string // outside of every git directory: <StateHome>/git-flower/<ID>
	ID    string // the repository's random name on this machine

	objects string
}

// RunDir is the folder of what belongs to one run and never travels.
func (l Layout) RunDir(name string) string { return filepath.Join(l.Flower, "run", name) }

// fieldMark is a word that rev-parse prints as it stands. It separates paths,
// which may hold newlines.
const fieldMark = "--flower-next-field"

// discover asks git where things are. Git also refuses what is not safe, and
// its words are kept.
func discover(ctx context.Context, git gitcmd.Git) (Layout, error) {
	out, err := git.Read(ctx, "rev-parse", "--is-bare-repository", "--show-object-format",
		"--path-format=absolute", "--git-dir", fieldMark, "--git-common-dir", fieldMark,
		"--git-path", "objects", fieldMark, "--show-toplevel")
	words := strings.SplitN(string(out), "\n", 3)
	if len(words) < 3 {
		return Layout{}, notRepository(err)
	}
	paths := strings.Split(words[2], "\n"+fieldMark+"\n")
	if len(paths) != 4 {
		return Layout{}, notRepository(err)
	}
	l := Layout{Bare: words[0] == "true", ObjectFormat: words[1],
		GitDir: paths[0], CommonDir: paths[1], objects: paths[2]}
	if err == nil { // outside of a working tree only the last question fails
		l.TopLevel = strings.TrimSuffix(paths[3], "\n")
	}
	l.Flower = filepath.Join(l.CommonDir, "flower")
	return l, redirected(l.GitDir)
}

// redirected finds a git directory of ours that was made to point elsewhere since: a
// command that may write there can put a commondir into it, and git then obeys the
// configuration of whatever folder that names.
func redirected(gitDir string) error {
	pointer := filepath.Join(gitDir, "commondir")
	if _, err := os.Lstat(pointer); err != nil {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(gitDir, "flower", "id")); err != nil {
		return nil // of a linked working tree: ours is in the common directory
	}
	return fmt.Errorf("'%s' makes git take another folder for this repository, and was not there before: move it away", pointer)
}

func notRepository(err error) error {
	var e *gitcmd.Error
	if errors.As(err, &e) && strings.Contains(e.Stderr, "not a git repository") {
		return fmt.Errorf("%w: %w", ErrNotRepository, err)
	}
	if err == nil {
		err = errors.New("unexpected output of git rev-parse")
	}
	return err
}

// identify reads the repository's id, or chooses one. A repository that was
// copied together with its id gets another one; one that was moved keeps it.
func (l *Layout) identify(stateHome string) error {
	real, err := filepath.EvalSymlinks(l.CommonDir)
	if err != nil {
		return err
	}
	id, at, err := readID(l.idFile())
	if err != nil {
		return err
	}
	if id == "" || at != real && stillAt(at, id) {
		id = randomID()
	}
	l.setID(id, stateHome)
	return nil
}

func (l *Layout) setID(id, stateHome string) {
	l.ID = id
	l.State = filepath.Join(stateHome, "git-flower", id)
}

func (l *Layout) idFile() string { return filepath.Join(l.Flower, "id") }

// readID reads an id file: the id, a newline, the real path, a newline.
func readID(file string) (id, at string, err error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	id, at, _ = strings.Cut(string(data), "\n")
	if !isRunID(id) {
		return "", "", nil
	}
	return id, strings.TrimSuffix(at, "\n"), nil
}

// stillAt says whether the repository at that path has the id too.
func stillAt(path, id string) bool {
	other, at, err := readID(filepath.Join(path, "flower", "id"))
	return err == nil && other == id && at == path
}

// settle writes the id, if it is not written. Of two processes that choose one
// at the same time the first wins and the other takes it over.
func (l *Layout) settle(stateHome string) error {
	real, err := filepath.EvalSymlinks(l.CommonDir)
	if err != nil {
		return err
	}
	id, at, err := readID(l.idFile())
	if err != nil {
		return err
	}
	if id != "" && at == real {
		l.setID(id, stateHome)
		return nil
	}
	if err := os.MkdirAll(l.Flower, 0o777); err != nil {
		return err
	}
	if id == "" {
		err = writeNew(l.idFile(), l.ID+"\n"+real+"\n")
	} else {
		err = writeWhole(l.idFile(), l.ID+"\n"+real+"\n")
	}
	if errors.Is(err, os.ErrExist) {
		id, _, err = readID(l.idFile())
		if err == nil && id != "" {
			l.setID(id, stateHome)
		}
	}
	return err
}

// writeNew writes a file that must not exist, whole or not at all.
func writeNew(path, text string) error {
	return placed(path, text, os.Link)
}

// writeWhole writes a file, whole or not at all, over one that may exist.
func writeWhole(path, text string) error {
	return placed(path, text, os.Rename)
}

func placed(path, text string, place func(from, to string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return place(f.Name(), path)
}

// randomID returns 16 hex digits.
func randomID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func isRunID(id string) bool { return len(id) == 16 && consists(id, lowerHex, 16) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
