package main

import (
	"os"
	"path/filepath"
	"testing"

	"git-flower/worktree"
	"git-flower/worktree/fence"
)

// A tree that was moved aside may hold the only copy of something: it must not
// lie hidden in the state folder.
func TestStatusTellsOfTrees(t *testing.T) {
	d := newDesk(t)
	d.repository()
	s := d.begin("add-json", "Add --json", false)
	ctx := t.Context()
	store, err := d.env.Store(ctx)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := openPool(ctx, d.env, store, 0, "", fence.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	add := func(worker string) *worktree.Tree {
		tree, err := pool.Add(ctx, worktree.Spec{Run: "add-json", Worker: worker, Base: string(s.run.History().Base)})
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	stays, lost := add("coder-1"), add("coder-2")
	if err := os.WriteFile(filepath.Join(lost.Path, "only copy"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := pool.Release(ctx, lost); err == nil {
		t.Fatal("a tree with unsaved work was given back")
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}

	d.expect(0, "status", "add-json")
	has(t, d.out.String(), "coder-1, waiting: "+stays.Path, "coder-2, aside: ")
	d.expect(0, "status", "add-json", "--porcelain")
	has(t, d.out.String(), "tree coder-1 waiting "+stays.Path+"\n", "tree coder-2 aside ")
	d.expect(0, "status", "add-json", "--json")
	trees := d.jsonOut()[0]["trees"].([]any)
	aside := trees[1].(map[string]any)
	if _, err := os.Stat(filepath.Join(aside["path"].(string), "only copy")); err != nil || aside["reason"] == "" {
		t.Errorf("%v, %v", trees, err)
	}
	d.expect(0, "status")
	has(t, d.out.String(), "add-json, coder-2, aside: "+aside["path"].(string))
}
