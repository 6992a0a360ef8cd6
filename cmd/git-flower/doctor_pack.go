package main

import (
	"context"
	"fmt"

	"git-flower/gitstate"
)

// pack tells of the pack that a run begun now would have, all of it.
func (d *doctor) pack(ctx context.Context) {
	if d.store == nil {
		return
	}
	head, err := d.store.Resolve(ctx, "HEAD")
	if err != nil {
		return // no run begins without a commit, and start says so
	}
	f := finding{Topic: "pack", Found: noPack}
	if err := d.look(ctx, head, &f); err != nil {
		f.Problem, f.Hint = wording(err), asEnding(err).hint
	}
	d.add(f)
}

func (d *doctor) look(ctx context.Context, head gitstate.ObjectID, f *finding) error {
	folder, tree, err := findPack(ctx, d.store.Git(), head, d.config.Plugin)
	if tree == "" || err != nil {
		return err
	}
	files, err := readPack(ctx, d.store.Git(), tree)
	if err != nil {
		return err
	}
	c := &carried{tree: tree}
	if c.pack, err = load(files); err != nil {
		f.Found = oneLine(fmt.Sprintf("'%s' is no pack that can be used: %v", folder, err))
		if d.config.Plugin != "" {
			return endf(endFatal, "correct and commit it, or set flower.plugin to none", "%s", f.Found)
		}
		return nil
	}
	c.fit(d.config)
	f.Found, f.Notes = c.lines()
	return nil
}
