package worktree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-flower/gitstate/gitcmd"
)

// converting are the attributes by which a file may be other bytes than its blob.
var converting = []string{"text", "crlf", "eol", "ident", "filter", "working-tree-encoding"}

// conversions tells two states of the user's own settings apart by which files are
// other bytes than their blobs: a file that was written under others is not what
// git would write now, though nobody has changed it.
func conversions(config map[string]string, commonDir string) string {
	var said []string
	for key, value := range config {
		if value != "" && (strings.HasPrefix(key, "filter.") || slices.Contains([]string{"core.autocrlf", "core.eol", "core.symlinks", "core.attributesfile"}, key)) {
			said = append(said, key+"="+value)
		}
	}
	slices.Sort(said)
	for _, file := range []string{filepath.Join(commonDir, "info", "attributes"), globalAttributes(config)} {
		text, _ := os.ReadFile(file) // of one that cannot be read git takes nothing either
		said = append(said, string(text))
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(said, "\x00"))))[:16]
}

// globalAttributes is the user's own file of attributes, as gitattributes(5) has it,
// but for one in another user's home.
func globalAttributes(config map[string]string) string {
	home, _ := os.UserHomeDir() // none: nothing is found there
	named := config["core.attributesfile"]
	if below, ok := strings.CutPrefix(named, "~/"); ok {
		return filepath.Join(home, below)
	}
	return cmp.Or(named, filepath.Join(cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "git", "attributes"))
}

// asWritten returns those of the entries whose files are, byte for byte, what git
// makes of their blobs. Such a file has not been changed, though what git would
// store of it may be another blob: CR-LF in a blob that is text, an expanded
// $Id$, a filter that never says the same twice.
func (g *gathering) asWritten(ctx context.Context, entries []treeEntry) (same []treeEntry, err error) {
	if entries, err = g.convertible(ctx, entries); err != nil || len(entries) == 0 {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "git-flower-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	files := filepath.Join(dir, "files") + string(filepath.Separator)
	index := g.git.Env("GIT_INDEX_FILE=" + filepath.Join(dir, "index"))
	if _, err := index.WriteIn(ctx, strings.NewReader(indexInfo(entries)), "update-index", "-z", "--add", "--index-info"); err != nil {
		return nil, err
	}
	// What it cannot write, for a filter that fails, is not the same.
	if _, err := index.Write(ctx, "checkout-index", "-q", "-a", "-f", "--prefix="+files); gitcmd.ExitCode(err) < 0 {
		return nil, err
	}
	for _, e := range entries {
		if !g.behindLink(e.name) && sameContent(ctx, g.path(e.name), files+filepath.FromSlash(e.name)) {
			same = append(same, e)
		}
	}
	return same, nil
}

// convertible drops the entries that git writes and reads as they are.
func (g *gathering) convertible(ctx context.Context, entries []treeEntry) ([]treeEntry, error) {
	var names []string
	for _, e := range entries {
		names = append(names, e.name)
	}
	if len(names) == 0 || g.converts {
		return entries, nil
	}
	out, err := g.git.ReadIn(ctx, lines(names), append([]string{"check-attr", "-z", "--stdin"}, converting...)...)
	if err != nil {
		return nil, err
	}
	said := map[string]bool{}
	fields := splitZ(out)
	for i := 0; i+2 < len(fields); i += 3 { // path, attribute, value
		said[fields[i]] = said[fields[i]] || fields[i+2] != "unspecified"
	}
	return slices.DeleteFunc(entries, func(e treeEntry) bool { return !said[e.name] }), nil
}

// unchanged puts the entries that head has back into the index where a file
// differs from it only in what git would store.
func (g *gathering) unchanged(ctx context.Context, head string) error {
	out, err := g.git.Read(ctx, "diff-index", "--cached", "-z", "--no-renames", "--no-abbrev", "--diff-filter=M", head)
	if err != nil {
		return err
	}
	same, err := g.asWritten(ctx, rawEntries(out))
	if err != nil || len(same) == 0 {
		return err
	}
	_, err = g.git.WriteIn(ctx, strings.NewReader(indexInfo(same)), "update-index", "-z", "--index-info")
	return err
}

// rawEntries are the files, as they were, that a raw diff says have other content
// but the same mode.
func rawEntries(out []byte) []treeEntry {
	var entries []treeEntry
	fields := splitZ(out)
	for i := 0; i+1 < len(fields); i += 2 {
		was := strings.Fields(strings.TrimPrefix(fields[i], ":")) // old mode, new mode, old id, …
		if len(was) >= 3 && was[0] == was[1] && strings.HasPrefix(was[0], "100") {
			entries = append(entries, treeEntry{was[0], was[2], fields[i+1]})
		}
	}
	return entries
}

func indexInfo(entries []treeEntry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%s %s\t%s\x00", e.mode, e.id, e.name)
	}
	return b.String()
}

// sameContent reports whether two files hold the same. One that cannot be read
// holds nothing.
func sameContent(ctx context.Context, one, two string) bool {
	a, err := hashFile(ctx, one)
	if err != nil {
		return false
	}
	b, err := hashFile(ctx, two)
	return err == nil && a == b
}

func hashFile(ctx context.Context, path string) (pointer, error) {
	f, err := openPlain(path)
	if err != nil {
		return pointer{}, err
	}
	defer f.Close()
	return copyHashed(ctx, io.Discard, f)
}
