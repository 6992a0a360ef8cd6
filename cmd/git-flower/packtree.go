package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"git-flower/gitstate"
	"git-flower/gitstate/gitcmd"
	"git-flower/plugin"
)

// Packs are read from commits. A working tree is what workers could write to.

// packFolders are where a pack is looked for when none is named.
var packFolders = [...]string{"plugin", ".flower/plugin"}

// noPack is what flower.plugin says where no pack is wanted.
const noPack = "none"

// findPack looks for the pack that a setting means in a commit. tree is empty when
// there is none, which is an error where one was named.
func findPack(ctx context.Context, git gitcmd.Git, commit gitstate.ObjectID, setting string) (folder string, tree gitstate.ObjectID, err error) {
	if setting == noPack {
		return "", "", nil
	}
	if setting == "" {
		for _, folder := range packFolders {
			if tree, err := packTree(ctx, git, commit, folder); tree != "" || err != nil {
				return folder, tree, err
			}
		}
		return "", "", nil
	}
	folder = strings.TrimSuffix(setting, "/")
	if !fs.ValidPath(folder) || folder == "." {
		return "", "", endf(endFatal, "name a folder of the repository from its top, such as plugin, or none", "flower.plugin: '%s' is not a folder of the repository", setting)
	}
	tree, err = packTree(ctx, git, commit, folder)
	if err == nil && tree == "" {
		err = endf(endFatal, "commit it, or set flower.plugin to none; --with-changes begins with what is not committed", "flower.plugin: there is no '%s/%s' in %s", folder, plugin.ManifestFile, commit.Short())
	}
	return folder, tree, err
}

// packTree is the tree of a folder that is a pack, empty where it is none.
func packTree(ctx context.Context, git gitcmd.Git, commit gitstate.ObjectID, folder string) (gitstate.ObjectID, error) {
	at := func(what, peel string) (string, error) {
		out, err := git.Line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", string(commit)+":"+what+peel)
		if gitcmd.ExitCode(err) > 0 {
			return "", nil
		}
		return out, err
	}
	manifest, err := at(folder+"/"+plugin.ManifestFile, "")
	if manifest == "" || err != nil {
		return "", wrapPack(folder, err)
	}
	tree, err := at(folder, "")
	return gitstate.ObjectID(tree), wrapPack(folder, err)
}

func wrapPack(what string, err error) error {
	if err != nil {
		err = fmt.Errorf("look for the pack '%s': %w", what, err)
	}
	return err
}

// mostEntries bounds how much of a tree is looked at.
const mostEntries = 20 * plugin.MaxFiles

// readPack reads the files of a pack's tree.
func readPack(ctx context.Context, git gitcmd.Git, tree gitstate.ObjectID) (*plugin.Files, error) {
	files := &plugin.Files{}
	wanted, err := listPack(ctx, git, tree, files)
	if err != nil || len(wanted) == 0 {
		return files, wrapPack(tree.Short(), err)
	}
	batch, err := git.Start(ctx, "--no-optional-locks", "cat-file", "--batch")
	if err != nil {
		return nil, wrapPack(tree.Short(), err)
	}
	for _, w := range wanted {
		if !files.Wants(w.name, 0, w.size) {
			continue // with what is in already it is too much
		}
		data, bad := readBlob(batch, w.id)
		if bad != nil {
			return nil, wrapPack(tree.Short(), errors.Join(bad, batch.Close()))
		}
		files.Put(w.name, data)
	}
	return files, wrapPack(tree.Short(), batch.Close())
}

type packFile struct {
	name, id string
	size     int64
}

func listPack(ctx context.Context, git gitcmd.Git, tree gitstate.ObjectID, files *plugin.Files) (wanted []packFile, err error) {
	list, err := git.Start(ctx, "--no-optional-locks", "ls-tree", "-r", "-z", "-l", "--full-tree", string(tree))
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		entry, end := list.Out.ReadString(0)
		if end != nil {
			break // the exit code tells whether that is all
		}
		if n == mostEntries {
			return nil, errors.Join(fmt.Errorf("it has more than %d files", mostEntries), list.Close())
		}
		head, name, _ := strings.Cut(strings.TrimSuffix(entry, "\x00"), "\t")
		fields := strings.Fields(head) // mode, type, id, size
		if len(fields) != 4 {
			return nil, errors.Join(fmt.Errorf("git printed '%.80s'", oneLine(entry)), list.Close())
		}
		size, _ := strconv.ParseInt(fields[3], 10, 64) // "-" of what is no blob
		if files.Wants(name, modeOf(fields[0]), size) {
			wanted = append(wanted, packFile{name, fields[2], size})
		}
	}
	return wanted, list.Close()
}

// modeOf translates git's modes: regular files, links, and what is neither.
func modeOf(mode string) fs.FileMode {
	switch mode {
	case "100644", "100755", "100664":
		return 0
	case "120000":
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}

// readBlob asks a running 'cat-file --batch' for one small blob.
func readBlob(batch *gitcmd.Process, id string) ([]byte, error) {
	if _, err := io.WriteString(batch.In, id+"\n"); err != nil {
		return nil, err
	}
	line, err := batch.Out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[1] != "blob" {
		return nil, fmt.Errorf("object '%s' is not here", id)
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 || size > plugin.MaxFile {
		return nil, fmt.Errorf("object '%s' has %s bytes", id, fields[2])
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(batch.Out, data); err != nil {
		return nil, err
	}
	return data[:size], nil
}
