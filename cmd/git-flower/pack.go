package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-flower/engine"
	"git-flower/engine/harness"
	"git-flower/gitstate"
	"git-flower/plugin"
)

// A carried is the pack of a run. A run keeps the one that it began with: the tree
// of it stands in the first record.
type carried struct {
	tree     gitstate.ObjectID // empty: there is no pack
	pack     *plugin.Pack      // nil: there is none that can be used
	kinds    []plugin.Agent
	problems []string
	note     string // about where it is from, for people
}

// packOption is the record of the pack that a run begins with.
func packOption(tree gitstate.ObjectID) []gitstate.Option {
	if tree == "" {
		return nil
	}
	return []gitstate.Option{{Name: "plugin", Value: string(tree)}}
}

// choosePack finds the pack that a new run begins with. One that was named has to
// be one; of one that lies where packs lie it is said when it is none.
func (w *wake) choosePack(ctx context.Context, base gitstate.ObjectID) (gitstate.ObjectID, error) {
	folder, tree, err := findPack(ctx, w.store.Git(), base, w.config.Plugin)
	if err != nil {
		return "", err
	}
	if tree == "" {
		w.packNote = w.uncommittedPack()
		return "", nil
	}
	files, err := readPack(ctx, w.store.Git(), tree)
	if err != nil {
		return "", err
	}
	if _, err := load(files); err != nil {
		if w.config.Plugin != "" {
			return "", endf(endFatal, "correct and commit it, or set flower.plugin to none", "flower.plugin: '%s' is no pack that can be used: %w", folder, err)
		}
		w.packNote = fmt.Sprintf("'%s' is no pack that can be used, and this run goes without: %s", folder, oneLine(err.Error()))
		return "", nil
	}
	return tree, nil
}

// load is plugin.Load for packs that are not ours.
func load(files *plugin.Files) (*plugin.Pack, error) {
	p, err := plugin.Load(files)
	if err == nil && p.Name == plugin.BaseName {
		err = plugin.Problem{File: plugin.ManifestFile, What: fmt.Sprintf("the name '%s' is that of git flower's own pack", p.Name)}
	}
	return p, err
}

// uncommittedPack tells of a pack in the checkout that the run does not get.
func (w *wake) uncommittedPack() string {
	top := w.store.Layout().TopLevel
	if top == "" || w.config.Plugin == noPack {
		return ""
	}
	for _, folder := range packFolders {
		if info, err := os.Lstat(filepath.Join(top, folder, plugin.ManifestFile)); err == nil && info.Mode().IsRegular() {
			return fmt.Sprintf("the pack '%s' of the checkout is not in what this run starts from, so that the run goes without: commit it, or begin with --with-changes", folder)
		}
	}
	return ""
}

// takePack reads the pack that the run began with.
func (w *wake) takePack(ctx context.Context) error {
	if w.pack != nil {
		return nil
	}
	tree := gitstate.ObjectID(begunWith(w.run.History())["plugin"])
	c := &carried{tree: tree, note: w.packNote}
	if w.resumes {
		c.note = w.otherPack(ctx, tree)
	}
	if tree != "" {
		files, err := readPack(ctx, w.store.Git(), tree)
		if err == nil {
			c.pack, err = load(files)
		}
		if err != nil {
			return endf(endFatal, "a fetch of what the run starts from brings it", "the pack that run '%s' began with cannot be read: %w", w.run.Name(), err)
		}
		c.fit(w.config)
	}
	w.pack = c
	return nil
}

// otherPack tells that the repository has another pack by now than the run.
func (w *wake) otherPack(ctx context.Context, tree gitstate.ObjectID) string {
	head, err := w.store.Resolve(ctx, "HEAD")
	if err != nil {
		return "" // a bare repository may have none
	}
	_, now, err := findPack(ctx, w.store.Git(), head, w.config.Plugin)
	switch {
	case err != nil:
		return oneLine(err.Error()) + "; " + keeps(tree)
	case now == tree:
		return ""
	case now == "":
		return "there is no pack in HEAD; " + keeps(tree)
	}
	return fmt.Sprintf("the pack in HEAD (%s) is not the one this run began with; %s", now.Short(), keeps(tree))
}

func keeps(tree gitstate.ObjectID) string {
	if tree == "" {
		return "this run began without one and goes on without"
	}
	return fmt.Sprintf("this run keeps the one it began with (%s)", tree.Short())
}

// fit takes from the agents of a pack what can be a kind of worker here.
func (c *carried) fit(config Config) {
	for _, p := range c.pack.Problems {
		c.problems = append(c.problems, p.Error())
	}
	for _, a := range c.pack.Agents {
		say := func(format string, args ...any) {
			c.problems = append(c.problems, a.File+": "+fmt.Sprintf(format, args...))
		}
		if engine.KindTaken(a.Name) {
			say("not loaded: '%s' is the name of a role or of the built-in kind", a.Name)
			continue
		}
		if _, left := a.Narrow(engine.WorkerTools()); len(left) > 0 {
			say("without %s: workers do not have that, or not in part", strings.Join(left, ", "))
		}
		a.Model, a.Effort = settle(a, config.Roles[a.Name], say)
		c.kinds = append(c.kinds, a)
	}
}

// settle is the model and effort of a kind that can be had: what a pack names
// must not be able to stop a run, or to spend what nobody can count.
func settle(a plugin.Agent, user RoleConfig, say func(string, ...any)) (model, effort string) {
	m, known := harness.Lookup(a.Model)
	if a.Model != "" && (!known || !m.Priced()) {
		say("the model '%s' is not in the table of models: it has the workers' own", a.Model)
		a.Model = ""
	}
	if a.Effort == "" {
		return a.Model, ""
	}
	if user.Model != "" || a.Model == "" || !slices.Contains(m.Efforts, a.Effort) {
		say("the effort '%s' has no effect: it takes a model beside it that has it", a.Effort)
		return a.Model, ""
	}
	return a.Model, a.Effort
}

// layOutPacks makes the folders from which sessions read packs, ours first. They
// are made anew by each process that drives the run, from git's objects, in a place
// that no worker's commands may write to.
func (w *wake) layOutPacks() ([]string, error) {
	base, err := plugin.Base()
	if err != nil {
		return nil, err
	}
	packs := []*plugin.Pack{base}
	if w.pack.pack != nil {
		packs = append(packs, w.pack.pack)
	}
	home := filepath.Join(w.store.Layout().State, "pack", w.run.Name())
	if err := os.RemoveAll(home); err != nil {
		return nil, fmt.Errorf("lay out packs: %w", err)
	}
	var dirs []string
	for _, p := range packs {
		dir := filepath.Join(home, p.Name)
		err := os.MkdirAll(dir, 0o755)
		if err = errors.Join(err, p.Write(dir)); err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}
