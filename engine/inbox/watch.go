package inbox

import (
	"os"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// poll is how often a folder is looked at when no notification came. A person
// does not notice two seconds, and a look costs a few microseconds.
const poll = 2 * time.Second

// A Watch tells that something in one folder may have changed. It goes on when
// the folder is removed and made anew, and where the system has no
// notifications left.
type Watch struct {
	dir     string
	signals chan struct{}
	quit    chan struct{}
	done    sync.WaitGroup
}

// NewWatch watches a folder, which need not exist yet.
func NewWatch(dir string) *Watch { return newWatch(dir, poll) }

func newWatch(dir string, every time.Duration) *Watch {
	w := &Watch{dir: dir, signals: make(chan struct{}, 1), quit: make(chan struct{})}
	w.signals <- struct{}{} // what is there already has not been looked at
	n := notifier{dir: dir}
	n.renew()
	w.done.Go(func() {
		defer n.close()
		w.follow(&n, every)
	})
	return w
}

// Signals receives after every change, and every two seconds without one.
// Changes that nobody has taken a signal for are one.
func (w *Watch) Signals() <-chan struct{} { return w.signals }

// Close ends the watch. It must be called once.
func (w *Watch) Close() {
	close(w.quit)
	w.done.Wait()
}

func (w *Watch) follow(n *notifier, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		events, errors := n.channels()
		select {
		case <-w.quit:
			return
		case _, open := <-events:
			if !open {
				n.close()
			}
		case <-errors: // also an overflow: look at everything
		case <-tick.C:
			n.renew()
		}
		select {
		case w.signals <- struct{}{}:
		default:
		}
	}
}

// A notifier is the system's notifications for a folder, as far as there are any.
type notifier struct {
	dir     string
	watcher *fsnotify.Watcher
	seen    os.FileInfo // the folder that is watched
}

func (n *notifier) channels() (<-chan fsnotify.Event, <-chan error) {
	if n.watcher == nil {
		return nil, nil
	}
	return n.watcher.Events, n.watcher.Errors
}

// renew watches the folder that has the name now: a watch stays with the folder
// it was put on, also when that is gone.
func (n *notifier) renew() {
	info, err := os.Stat(n.dir)
	if err != nil {
		return
	}
	if n.watcher != nil && n.seen != nil && os.SameFile(info, n.seen) {
		return
	}
	n.close()
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return // none left: looking is enough
	}
	if err := watcher.Add(n.dir); err != nil {
		watcher.Close()
		return
	}
	n.watcher, n.seen = watcher, info
}

func (n *notifier) close() {
	if n.watcher != nil {
		n.watcher.Close()
	}
	n.watcher, n.seen = nil, nil
}
