package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPreparedTreesAreTaken(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p := r.pool()
	must(t, p.Prepare(ctx, r.head(), 2))
	must(t, p.Prepare(ctx, r.head(), 2))
	if got := states(t, p); got != "free free" {
		t.Errorf("states %q", got)
	}
	other := r.pool()
	if tree := add(t, other, "coder-1", r.head()); tree.Slot != "3" {
		t.Errorf("another pool took %+v", tree)
	}
	for _, worker := range []string{"coder-2", "coder-3"} {
		if tree := add(t, p, worker, r.head()); tree.Slot == "3" || tree.Slot == "4" {
			t.Errorf("%+v", tree)
		}
	}
	if err := p.Prepare(ctx, "nothing", 1); err == nil {
		t.Error("prepared nothing")
	}
}

func TestPreparedTreesAreForLaterRunsToo(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	first := r.pool()
	must(t, first.Prepare(ctx, r.head(), 3))
	must(t, first.Close())
	second := r.pool()
	must(t, second.Prepare(ctx, r.head(), 2))
	add(t, second, "coder-1", r.head())
	if got := states(t, second); got != "working free free" {
		t.Errorf("states %q", got)
	}
}

func TestPreparedForAnotherCommit(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p := r.pool()
	must(t, p.Prepare(ctx, r.head(), 1))
	next := r.side(r.head(), map[string]string{"next": "n\n"})
	tree := add(t, p, "coder-1", next)
	if _, err := os.Stat(filepath.Join(tree.Path, "next")); err != nil {
		t.Error(err)
	}
}

func TestPreparedTreeThatSomebodyRemoved(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	must(t, p.Prepare(context.Background(), r.head(), 1))
	must(t, os.RemoveAll(p.slotDir("1")))
	tree := add(t, p, "coder-1", r.head())
	if _, err := os.Stat(filepath.Join(tree.Path, "main.go")); err != nil {
		t.Error(err)
	}
}

// Who needs a tree while one is prepared gets that one.
func TestAddWaitsForWhatIsBeingPrepared(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p := r.pool()
	leave, err := p.enter(ctx)
	must(t, err)
	got := make(chan *Tree)
	go func() { got <- add(t, p, "coder-1", r.head()) }()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := p.enter(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("waited: %v", err)
	}
	leave()
	if tree := <-got; tree.Slot != "1" {
		t.Errorf("%+v", tree)
	}
}

// full is a file system with room for so much.
func full(r *repo, room *Room) Config {
	c := r.config()
	c.Room = func(string) (Room, error) { return *room, nil }
	return c
}

func TestNoRoomForATree(t *testing.T) {
	ctx := context.Background()
	for name, room := range map[string]Room{
		"bytes": {Bytes: 5 << 20, Files: 1000}, "files": {Bytes: 1 << 40, Files: 10}, "nothing": {},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, map[string]string{"big": strings.Repeat("x", 3<<20), "a/b/c": "c\n"})
			now := room
			p, err := Open(ctx, full(r, &now))
			must(t, err)
			defer p.Close()
			spec := Spec{Run: "run", Worker: "coder-1", Base: r.head()}
			tree, err := p.Add(ctx, spec)
			var full *SpaceError
			if !errors.As(err, &full) {
				t.Fatalf("%+v, %v", tree, err)
			}
			if full.Need.Bytes < 3<<20 || full.Need.Files < 4 || full.Found != room || !strings.Contains(err.Error(), p.treesDir()) {
				t.Errorf("%+v: %v", full, err)
			}
			if err := p.Prepare(ctx, r.head(), 1); !isType[*SpaceError](err) {
				t.Errorf("prepared: %v", err)
			}
			if got := states(t, p); strings.Trim(got, "fre ") != "" {
				t.Errorf("left %q", got)
			}
			now = Room{Bytes: 1 << 40, AnyNumber: true}
			tree, err = p.Add(ctx, spec)
			must(t, err)
			release(t, p, tree)
		})
	}
}

// What is made ahead leaves room for what is needed at once.
func TestPreparationLeavesRoom(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, map[string]string{"big": strings.Repeat("x", 3<<20)})
	room := Room{Bytes: 12 << 20, AnyNumber: true}
	p, err := Open(ctx, full(r, &room))
	must(t, err)
	defer p.Close()
	must(t, p.Prepare(ctx, r.head(), 1))
	room.Bytes -= 3 << 20
	must(t, p.Prepare(ctx, r.head(), 4))
	if got := states(t, p); got != stateFree && got != "free free" {
		t.Errorf("states %q", got)
	}
	if p.readyAt(r.head(), cone{}) != 1 {
		t.Errorf("%d are ready", p.readyAt(r.head(), cone{}))
	}
	add(t, p, "coder-1", r.head())
	add(t, p, "coder-2", r.head())
}

func TestRoomOfTheSystem(t *testing.T) {
	room, err := roomIn(t.TempDir())
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil || room.Bytes == 0 || room.Files == 0 && !room.AnyNumber {
		t.Errorf("%+v, %v", room, err)
	}
	if _, err := roomIn(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a missing folder has room")
	}
}

func TestSumOfAListing(t *testing.T) {
	with := "100644 blob aa    4097\ta\x00040000 tree bb       -\td\x00100644 blob cc 0\td/e\x00160000 commit dd -\tsub\x00"
	if got := sumOf([]byte(with)); got.Files != 4 || got.Bytes != 4*block+4*indexEntry {
		t.Errorf("%+v", got)
	}
	without := "100644 blob aa\ta\x00100644 blob cc\tb\tc\x00"
	if got := sumOf([]byte(without)); got.Files != 2 || got.Bytes != 2*block+2*indexEntry {
		t.Errorf("%+v", got)
	}
}
