package inbox

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
)

// never is a look so late that only notifications can be what woke the box.
const never = time.Hour

func opened(t *testing.T, dir string, every time.Duration) *Box {
	t.Helper()
	b, err := open(dir, every)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func woken(t *testing.T, b *Box) {
	t.Helper()
	select {
	case <-b.Wakes():
	case <-time.After(time.Minute):
		t.Fatal("nobody woke")
	}
}

func mustKnock(t *testing.T, dir string) {
	t.Helper()
	if err := Knock(dir, "say"); err != nil {
		t.Fatal(err)
	}
}

// holds waits until the folder holds n entries.
func holds(t *testing.T, dir string, n int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); ; <-tick.C {
		entries, err := os.ReadDir(dir)
		if err == nil && len(entries) == n {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d entries, %v, want %d", len(entries), err, n)
		}
	}
}

func TestKnockWakesAndIsRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "inbox")
	b := opened(t, dir, never)
	for range 3 {
		mustKnock(t, dir)
		woken(t, b)
		holds(t, dir, 0)
	}
}

func TestKnockFromBefore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "inbox")
	mustKnock(t, dir)
	woken(t, opened(t, dir, never))
	holds(t, dir, 0)
}

func TestManyKnocksAreTaken(t *testing.T) {
	dir := t.TempDir()
	b := opened(t, dir, never)
	const callers, each = 8, 100
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for range each {
				if err := Knock(dir, "say"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	woken(t, b)
	holds(t, dir, 0)
}

// A wake after a knock: what was recorded before the knock is never missed,
// however many wakes were merged.
func TestEveryKnockIsFollowedByAWake(t *testing.T) {
	dir := t.TempDir()
	b := opened(t, dir, never)
	recorded := 0
	var mu sync.Mutex
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 200 {
			mu.Lock()
			recorded = i + 1
			mu.Unlock()
			if err := Knock(dir, "say"); err != nil {
				t.Error(err)
			}
		}
	}()
	for seen := 0; seen < 200; {
		woken(t, b)
		mu.Lock()
		seen = recorded
		mu.Unlock()
	}
	<-done
}

func TestFolderRemovedAndMadeAnew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "inbox")
	b := opened(t, dir, 10*time.Millisecond)
	for range 3 {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		mustKnock(t, dir)
		woken(t, b)
		holds(t, dir, 0)
	}
}

func TestLookingAloneIsEnough(t *testing.T) {
	dir := t.TempDir()
	w := &Watch{dir: dir, signals: make(chan struct{}, 1), quit: make(chan struct{})}
	n := notifier{dir: filepath.Join(dir, "nothing")} // no notifications
	w.done.Go(func() { w.follow(&n, time.Millisecond) })
	defer w.Close()
	for range 3 {
		select {
		case <-w.Signals():
		case <-time.After(time.Minute):
			t.Fatal("no look")
		}
	}
}

// Two processes that take from one folder, as after a mistake: no error, each
// knock taken, and somebody wakes.
func TestTwoReaders(t *testing.T) {
	dir := t.TempDir()
	a, b := opened(t, dir, 10*time.Millisecond), opened(t, dir, 10*time.Millisecond)
	for range 50 {
		mustKnock(t, dir)
		select {
		case <-a.Wakes():
		case <-b.Wakes():
		case <-time.After(time.Minute):
			t.Fatal("nobody woke")
		}
	}
	holds(t, dir, 0)
}

// What cannot be removed wakes once; a folder in the way is not ours.
func TestStuckKnockWakesOnce(t *testing.T) {
	dir := t.TempDir()
	b := &Box{dir: dir, stuck: map[string]bool{}}
	mustKnock(t, dir)
	if err := os.MkdirAll(filepath.Join(dir, "folder", "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		// Root removes from a read-only folder, so the state after it is made.
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			b.stuck[e.Name()] = !e.IsDir()
		}
	} else {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
		if !b.empty() {
			t.Error("the first look sees no knock")
		}
		if err := Knock(dir, "say"); err == nil {
			t.Error("a knock at a read-only folder is no error")
		}
	}
	if b.empty() {
		t.Error("a knock that stays wakes for ever")
	}
}

func TestOpenNeedsAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "inbox")} {
		if b, err := Open(dir); err == nil {
			b.Close()
			t.Errorf("'%s' was opened", dir)
		}
		if Knock(dir, "say") == nil {
			t.Errorf("'%s' was knocked at", dir)
		}
	}
}

func TestKnockTakesAWord(t *testing.T) {
	dir := t.TempDir()
	for _, what := range []string{"", "../x", "a b", "A", "a\x00", ".x", string(make([]byte, 300))} {
		if Knock(dir, what) == nil {
			t.Errorf("%q was taken", what)
		}
	}
	holds(t, dir, 0)
}

func TestKnocksAreOrdered(t *testing.T) {
	dir := t.TempDir()
	words := []string{"first", "second", "third"}
	for _, w := range words {
		if err := Knock(dir, w); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Fatalf("%v, %v", entries, err)
	}
	for i, e := range entries {
		if got := e.Name()[len(e.Name())-len(words[i]):]; got != words[i] {
			t.Errorf("%d is %s", i, e.Name())
		}
	}
}

func TestLeftBehindByAKill(t *testing.T) {
	dir := t.TempDir()
	for i, age := range []time.Duration{time.Hour, 0} {
		file := filepath.Join(dir, unfinished+strconv.Itoa(i))
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, time.Now().Add(-age), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	b := opened(t, dir, never)
	holds(t, dir, 1)
	select {
	case <-b.Wakes():
		t.Error("an unfinished knock woke somebody")
	default:
	}
}
