package gitstate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"git-flower/gitstate/gitcmd"
)

// gitWriter writes objects with git's plumbing, where a repository is of a kind
// that nativeWriter is not for. The objects are the same to the byte.
type gitWriter struct {
	git    gitcmd.Git
	layout Layout
	noSync bool
}

// write lays the objects out as files and has git take them in, one process for
// each kind: what refers to others comes after them.
func (w gitWriter) write(ctx context.Context, objects []object) error {
	if err := os.MkdirAll(w.layout.Flower, 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(w.layout.Flower, "objects-*")
	if err != nil {
		return err
	}
	for _, kind := range []string{"blob", "tree", "commit"} {
		if err = w.writeKind(ctx, dir, kind, objects); err != nil {
			break
		}
	}
	return errors.Join(err, os.RemoveAll(dir))
}

func (w gitWriter) writeKind(ctx context.Context, dir, kind string, objects []object) error {
	var names strings.Builder
	var want []ObjectID
	for i, o := range objects {
		if o.kind != kind {
			continue
		}
		name := strconv.Itoa(i)
		if err := os.WriteFile(filepath.Join(dir, name), o.data, 0o600); err != nil {
			return err
		}
		names.WriteString(name + "\n")
		want = append(want, o.id)
	}
	if len(want) == 0 {
		return nil
	}
	git := w.git.In(dir).Env("GIT_DIR="+w.layout.GitDir, "GIT_OBJECT_DIRECTORY="+w.layout.objects)
	out, err := git.WriteIn(ctx, strings.NewReader(names.String()),
		"hash-object", "-w", "-t", kind, "--no-filters", "--stdin-paths")
	if err != nil {
		return err
	}
	for i, got := range strings.Fields(string(out)) {
		if i >= len(want) || got != string(want[i]) {
			return fmt.Errorf("git hash-object named object %d of %d '%s'", i, len(want), got)
		}
	}
	if w.noSync {
		return nil
	}
	return w.sync(want)
}

// sync makes the loose objects durable with any version of git. An object that
// git had in a pack is no file of its own.
func (w gitWriter) sync(ids []ObjectID) error {
	folders := []string{w.layout.objects}
	for _, id := range ids {
		folder := filepath.Join(w.layout.objects, string(id[:2]))
		err := syncFile(filepath.Join(folder, string(id[2:])))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		folders = append(folders, folder)
	}
	return syncFolders(folders)
}
