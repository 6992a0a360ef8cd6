package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// An InPlace hands out the user's checkout itself as the tree of one worker after
// the other. It reads files and writes objects: the checkout, its HEAD, index,
// refs and stashes are only ever changed by the worker and the user. What either
// of them changed since the last commit of ours is found by looking at the files.
//
// One process at a time has a checkout:
//
//	<git dir>/flower/inplace.lock   held by the kernel for the process
//
// and each run that works in one remembers it in a file of its own, the note.
type InPlace struct {
	p    *Pool
	dir  string // what is ours while we look; "" before the lock is
	lock *os.File

	mu   sync.Mutex // one operation at a time
	file string     // where the note is
	note inPlaceNote
	mine bool // the worker was given out by this process

	// The worker's last snapshot that looked at everything, and those of some
	// files since; what it left out.
	saved   string
	leftOut []string

	// Join returns the newest result of the run, empty while there is none. It is
	// set before the first tree is handed out.
	Join func(ctx context.Context) (string, error)
	// Mark is a variable, "NAME=value", in the environment of the run's commands.
	Mark string
}

// An inPlaceNote says where a run works and how far the worker there got.
type inPlaceNote struct {
	Run    string   `json:"run"`
	GitDir string   `json:"gitDir"` // from the common git directory, so that both may be moved
	Branch string   `json:"branch"` // "" when HEAD was detached
	Head   string   `json:"head"`   // when the run began
	Worker string   `json:"worker,omitempty"`
	Asked  string   `json:"asked,omitempty"` // base that the worker's tree was asked for at
	Base   string   `json:"base,omitempty"`  // the run's result when the worker began
	Tip    string   `json:"tip,omitempty"`   // last commit of ours that holds the checkout's files
	Seen   string   `json:"seen,omitempty"`  // HEAD when the worker began
	Notes  []string `json:"notes,omitempty"` // to be told by Finish
	Made   []string `json:"made,omitempty"`  // places that keepFree made
	Never  []string `json:"never,omitempty"` // names that were free when the worker began
	Aside  []string `json:"aside,omitempty"` // words about what was moved aside by then
}

// inPlaceSlot names the checkout where the slot of a tree is named.
const inPlaceSlot = "checkout"

// A TakenError is a checkout that another process has, for a run in place.
type TakenError struct{ Dir string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("another run works in the checkout '%s' itself", e.Dir)
}

// A MovedError is a checkout that is on another branch than when the run began,
// one without the commit that it began at.
type MovedError struct{ Was, Is string }

func (e *MovedError) Error() string {
	return fmt.Sprintf("the run works in the checkout of %s, and %s is checked out now", refWords(e.Was), refWords(e.Is))
}

// An ElsewhereError is a run that works in another checkout of the repository.
type ElsewhereError struct{ GitDir string }

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("the run works in another checkout, that of git directory '%s'", e.GitDir)
}

func refWords(branch string) string {
	if branch == "" {
		return "a detached HEAD"
	}
	return "'" + quoteName(branch) + "'"
}

func (p *Pool) inPlaceLock() string { return filepath.Join(p.c.GitDir, "flower", "inplace.lock") }

// InPlace takes the user's checkout for a run whose workers edit it. Nothing is
// written but the lock. Errors are ErrBare, ErrUnborn, *InProgressError,
// *ConflictError, and *TakenError when another process has it.
func (p *Pool) InPlace(ctx context.Context) (*InPlace, error) {
	c := &InPlace{p: p}
	l, err := c.look(ctx)
	if err == nil {
		c.lock, err = p.takeCheckout(l.view.top)
		err = errors.Join(err, l.close())
	}
	if err == nil {
		err = c.clear()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot work in the checkout: %w", errors.Join(err, c.Close()))
	}
	return c, nil
}

// clear removes what a killed process left of its looks at this checkout.
func (c *InPlace) clear() error {
	rel, err := c.p.gitDirFromCommon()
	if err != nil {
		return err
	}
	c.dir = filepath.Join(c.p.c.State, fmt.Sprintf("inplace-%.12x", sha256.Sum256([]byte(rel))))
	return errors.Join(os.RemoveAll(c.dir), os.Mkdir(c.dir, 0o700))
}

// gitDirFromCommon is the git directory as seen from the common one.
func (p *Pool) gitDirFromCommon() (string, error) {
	return filepath.Rel(p.c.CommonDir, p.c.GitDir)
}

// takeCheckout takes the lock of the checkout. Who was killed a moment ago may
// have been about to start a child, which holds on to it until it runs.
func (p *Pool) takeCheckout(top string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(p.inPlaceLock()), 0o777); err != nil {
		return nil, err
	}
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for n := 0; ; n++ {
		lock, err := lockFile(p.inPlaceLock())
		if !errors.Is(err, errLocked) {
			return lock, err
		}
		if n == 40 {
			return nil, &TakenError{Dir: top}
		}
		<-poll.C
	}
}

// notTaken keeps runs in place out of the checkout, until the function it returns
// is called.
func (p *Pool) notTaken(top string) (leave func(), err error) {
	if _, err := os.Lstat(p.inPlaceLock()); err != nil {
		return func() {}, nil // there never was one
	}
	lock, err := p.takeCheckout(top)
	if err != nil {
		return nil, err
	}
	return func() { _ = unlockFile(lock) }, nil
}

// Begin notes in a file that a run works in this checkout.
func (c *InPlace) Begin(ctx context.Context, run, file string) error {
	l, err := c.look(ctx)
	if err == nil {
		err = l.close()
	}
	if err != nil {
		return fmt.Errorf("cannot begin in the checkout: %w", err)
	}
	rel, err := c.p.gitDirFromCommon()
	if err != nil {
		return fmt.Errorf("cannot begin in the checkout: %w", err)
	}
	c.file = file
	return c.set(func(n *inPlaceNote) {
		*n = inPlaceNote{Run: run, GitDir: rel, Branch: l.branch, Head: l.view.head}
	})
}

// BeganInPlace reports whether a run whose note is in a file works in a checkout
// that still is there. Another one than this pool's is an *ElsewhereError.
func (p *Pool) BeganInPlace(file string) (bool, error) {
	n, err := readInPlace(file)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	dir := filepath.Join(p.c.CommonDir, n.GitDir)
	if dir == filepath.Clean(p.c.GitDir) {
		return true, nil
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return true, &ElsewhereError{GitDir: dir}
}

// Resume goes on with a run that Begin noted. The error is a *MovedError when the
// checkout has become that of another branch.
func (c *InPlace) Resume(ctx context.Context, file string) error {
	var err error
	if c.note, err = readInPlace(file); err == nil {
		c.file = file
		var l *look
		if l, err = c.look(ctx); err == nil {
			err = l.close()
		}
	}
	if err != nil {
		return fmt.Errorf("cannot go on in the checkout: %w", err)
	}
	return nil
}

func readInPlace(file string) (inPlaceNote, error) {
	var n inPlaceNote
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &n)
	}
	if err != nil {
		return n, fmt.Errorf("cannot read what a run in place keeps in '%s': %w", file, err)
	}
	return n, nil
}

// set changes the note, on disk first.
func (c *InPlace) set(change func(*inPlaceNote)) error {
	next := c.note
	next.Notes = append([]string(nil), next.Notes...)
	change(&next)
	text, err := json.Marshal(next)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(c.file), 0o755)
	}
	if err == nil {
		err = writeFile(c.file, append(text, '\n'))
	}
	if err == nil {
		c.note = next
	}
	return err
}

// Close lets others have the checkout. A worker's part in it stays for Resume.
func (c *InPlace) Close() error {
	if c.lock == nil {
		return nil
	}
	err := errors.Join(os.RemoveAll(c.dir), unlockFile(c.lock))
	c.lock = nil
	return err
}
