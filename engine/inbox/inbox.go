package inbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// A Box takes knocks out of a folder.
type Box struct {
	dir   string
	watch *Watch
	wakes chan struct{}
	quit  chan struct{}
	done  sync.WaitGroup

	stuck map[string]bool // knocks that could not be removed
}

// Open makes the folder, if need be, and begins to take knocks out of it.
func Open(dir string) (*Box, error) { return open(dir, poll) }

func open(dir string, every time.Duration) (*Box, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("open the inbox: %w", err)
	}
	if _, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("open the inbox: %w", err)
	}
	b := &Box{dir: dir, watch: newWatch(dir, every), wakes: make(chan struct{}, 1), quit: make(chan struct{}), stuck: map[string]bool{}}
	b.done.Go(b.take)
	return b, nil
}

// Wakes receives after knocks. Several that nobody has taken a wake for are one.
func (b *Box) Wakes() <-chan struct{} { return b.wakes }

// Close ends the box; knocks stay in the folder from then on. It must be called
// once.
func (b *Box) Close() {
	close(b.quit)
	b.done.Wait()
	b.watch.Close()
}

func (b *Box) take() {
	for {
		select {
		case <-b.quit:
			return
		case <-b.watch.Signals():
		}
		if b.empty() {
			select {
			case b.wakes <- struct{}{}:
			default:
			}
		}
	}
}

// empty removes the knocks, oldest first, and reports whether there was any.
// The folder is made again where it is gone, so that a knock finds it.
func (b *Box) empty() (knocked bool) {
	entries, err := os.ReadDir(b.dir) // sorted by name, which begins with the time
	if errors.Is(err, os.ErrNotExist) {
		_ = os.MkdirAll(b.dir, 0o777) // tried again at the next look
		return false
	}
	left := map[string]bool{}
	for _, e := range entries {
		path := filepath.Join(b.dir, e.Name())
		switch {
		case e.IsDir():
		case strings.HasPrefix(e.Name(), unfinished):
			removeOld(path)
		case b.stuck[e.Name()]:
			left[e.Name()] = os.Remove(path) != nil
		default:
			err := os.Remove(path)
			left[e.Name()] = err != nil && !errors.Is(err, os.ErrNotExist)
			knocked = true
		}
	}
	b.stuck = left
	return knocked
}

// removeOld removes what somebody who was killed left behind.
func removeOld(path string) {
	if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > time.Minute {
		_ = os.Remove(path) // does no harm where it stays
	}
}

// unfinished begins the name of a knock that is not yet in its place.
const unfinished = ".knock-"

var word = regexp.MustCompile(`^[a-z][a-z-]{0,31}$`)

// Knock wakes whoever has a Box open on the folder, or will. What says in a
// word, of at most 32 small letters, what it is about, for people who look into
// the folder.
func Knock(dir, what string) error {
	if !word.MatchString(what) {
		return fmt.Errorf("knock: '%.40s' is no word", what)
	}
	if err := knock(dir, what); err != nil {
		return fmt.Errorf("knock: %w", err)
	}
	return nil
}

func knock(dir, what string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, unfinished+"*")
	if err != nil {
		return err
	}
	random := strings.TrimPrefix(filepath.Base(f.Name()), unfinished)
	name := fmt.Sprintf("%020d-%s-%s", time.Now().UnixNano(), random, what)
	err = errors.Join(f.Close(), os.Rename(f.Name(), filepath.Join(dir, name)))
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
