package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOwnerFileReadsBack(t *testing.T) {
	dir := t.TempDir()
	text := rapid.String()
	rapid.Check(t, func(t *rapid.T) {
		o := owner{
			State: stateWorking, Run: text.Draw(t, "run"), Worker: text.Draw(t, "worker"), Base: someID,
			Notes: rapid.SliceOfN(text, 1, 3).Draw(t, "notes"), PID: rapid.Int().Draw(t, "pid"), Reason: text.Draw(t, "reason"),
		}
		if err := o.write(dir); err != nil {
			t.Fatal(err)
		}
		got, err := readOwner(dir)
		if err != nil {
			t.Fatal(err)
		}
		if want, have := asJSON(t, o), asJSON(t, got); want != have {
			t.Fatalf("wrote %s, read %s", want, have)
		}
	})
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("left beside it: %v", entries)
	}
}

func asJSON(t *rapid.T, o owner) string {
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSpoiltOwnerFilesLoseNothing(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "cut": `{"state":"wor`, "another sort": `["a"]`, "unknown state": `{"state":"later","run":"r"}`} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, small)
			first := r.pool()
			tree := add(t, first, "coder-1", r.head())
			sh(t, tree.Path, "echo x >x")
			must(t, first.Close())
			must(t, os.WriteFile(filepath.Join(first.slotDir("1"), "owner"), []byte(text), 0o600))
			second := r.pool()
			all, err := second.List(context.Background())
			must(t, err)
			if len(all) != 1 || all[0].State != stateAside {
				t.Fatalf("%+v", all)
			}
			if text, err := os.ReadFile(filepath.Join(all[0].Path, "x")); err != nil || string(text) != "x\n" {
				t.Errorf("x holds %q, %v", text, err)
			}
			if next := add(t, second, "coder-2", r.head()); next.Slot != "1" {
				t.Errorf("%+v", next)
			}
		})
	}
}

func TestSlotsHaveOneHolder(t *testing.T) {
	r := newRepo(t, small)
	one, two := r.pool(), r.pool()
	s, err := one.newSlot()
	must(t, err)
	if _, err := two.lockSlot(s.name); !isType[*BusyError](err) {
		t.Errorf("locked twice: %v", err)
	}
	if _, err := one.lockSlot(s.name); !isType[*BusyError](err) {
		t.Errorf("locked twice in one process: %v", err)
	}
	if _, err := two.lockSlot("7"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("locked what is not there: %v", err)
	}
	other, err := two.newSlot()
	must(t, err)
	if other.name != "2" {
		t.Errorf("the next is %q", other.name)
	}
	must(t, s.unlock())
	again, err := two.lockSlot(s.name)
	must(t, err)
	must(t, errors.Join(again.unlock(), other.unlock()))
}

// A lock on a slot that was moved aside meanwhile is no lock on the new slot of
// that name.
func TestLockOfAMovedSlotDoesNotCount(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	s, err := p.newSlot()
	must(t, err)
	must(t, os.Rename(s.dir, filepath.Join(p.asideDir(), "moved")))
	if s.inPlace() {
		t.Error("in place")
	}
	must(t, os.Mkdir(s.dir, 0o700))
	must(t, os.WriteFile(filepath.Join(s.dir, "lock"), nil, 0o600))
	if s.inPlace() {
		t.Error("another slot's lock counts")
	}
	must(t, s.unlock())
}

func TestSlotNamesAreNumbers(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	for _, name := range []string{"10", "9", "2", "x", "0", "-1", "1.5"} {
		must(t, os.MkdirAll(p.slotDir(name), 0o700))
	}
	must(t, os.WriteFile(p.slotDir("3"), nil, 0o600))
	names, err := p.slotNames()
	must(t, err)
	if !slices.Equal(names, []string{"2", "9", "10"}) {
		t.Errorf("%q", names)
	}
}

func TestListTellsPeople(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p := r.pool()
	if all, err := p.List(ctx); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	add(t, p, "coder-1", r.head())
	lost := add(t, p, "coder-2", r.head())
	sh(t, lost.Path, "echo k >k.secret")
	check, err := p.Checkout(ctx, r.head(), ProtectSpec{})
	must(t, err)
	release(t, p, lost)
	all, err := p.List(ctx)
	must(t, err)
	var lines []string
	for _, i := range all {
		if _, err := os.Stat(i.Path); err != nil {
			t.Error(err)
		}
		lines = append(lines, strings.Join([]string{i.Slot, i.Run, i.Worker, i.State}, " "))
	}
	if len(lines) != 3 || lines[0] != "1 run coder-1 working" || lines[1] != "3   scratch" || !strings.HasSuffix(lines[2], " run coder-2 aside") {
		t.Errorf("%q", lines)
	}
	if all[0].PID != os.Getpid() || all[0].Base != r.head() || all[0].Since == "" || all[2].Reason == "" {
		t.Errorf("%+v", all)
	}
	release(t, p, check)
}

// What List says needs no git and no lock of its own.
func TestListWhileOthersWork(t *testing.T) {
	r := newRepo(t, small)
	p, watcher := r.pool(), r.pool()
	stop := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if _, err := watcher.List(context.Background()); err != nil {
				done <- err
				return
			}
		}
	}()
	for range 5 {
		tree := add(t, p, "coder-1", r.head())
		must(t, p.Close())
		again, err := p.Reopen(context.Background(), Spec{Run: "run", Worker: "coder-1"})
		must(t, err)
		if *again != *tree {
			t.Errorf("%+v", again)
		}
		release(t, p, again)
	}
	close(stop)
	must(t, <-done)
}
