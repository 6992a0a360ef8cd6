package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// standIn is a git-lfs that does what the real one does with one file at a time,
// and tells of each call. It looks for contents where the real one does: in its
// own storage, and beside the objects that are borrowed.
const standIn = `#!/bin/sh
echo "$*" >>"$LFS_TOLD"
git=$(git rev-parse --absolute-git-dir)
own=$(git config lfs.storage || echo "$git/lfs")
find_content() {
	oid=$(sed -n 's/^oid sha256://p' "$1") at=$(echo $oid | sed 's/^\(..\)\(..\)/\1\/\2\/&/')
	for dir in "$own/objects" $(sed 's,/objects$,/lfs/objects,' "$git/objects/info/alternates" 2>/dev/null | tr ' ' '?'); do
		if test -f "$dir/$at"; then echo "$dir/$at"; return; fi
	done
}
case $1 in
clean)
	cat >"$git/lfs.tmp"
	if grep -q ^oid "$git/lfs.tmp"; then cat "$git/lfs.tmp"; exit; fi
	oid=$(sha256sum <"$git/lfs.tmp" | cut -c1-64) at=$own/objects/$(echo $oid | sed 's/^\(..\)\(..\).*/\1\/\2/')
	printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n' $oid $(wc -c <"$git/lfs.tmp")
	mkdir -p "$at" && mv "$git/lfs.tmp" "$at/$oid" ;;
smudge)
	cat >"$git/lfs.tmp"
	content=$(find_content "$git/lfs.tmp")
	if test "$2" = --skip -o -z "$content"; then cat "$git/lfs.tmp"; else cat "$content"; fi ;;
pull)
	git ls-files '*.bin' | while read f; do
		content=$(find_content "$f"); if test "$content"; then cat "$content" >"$f.new" && mv "$f.new" "$f" && git add "$f"; fi
	done ;;
esac
`

// withLFS sets git-lfs up in a repository as 'git lfs install --local' does. It is
// installed only when there is a stand-in, which tells in the file returned.
func withLFS(t *testing.T, installed bool) (r *repo, told string) {
	t.Helper()
	r = newRepo(t, small)
	told = filepath.Join(t.TempDir(), "told")
	t.Setenv("LFS_TOLD", told)
	r.git("config", "filter.lfs.clean", "git-lfs clean -- %f")
	r.git("config", "filter.lfs.smudge", "git-lfs smudge -- %f")
	r.git("config", "filter.lfs.required", "true")
	r.write(map[string]string{".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"})
	if installed {
		bin := t.TempDir()
		put(t, bin, map[string]string{"git-lfs": standIn})
		must(t, os.Chmod(filepath.Join(bin, "git-lfs"), 0o755))
		t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		r.write(map[string]string{"big.bin": "big content\n"})
		r.git("add", "-A")
	} else {
		r.git("add", ".gitattributes")
		pointed := run(t, r.dir, "sh", "-c", "printf '"+pointerTo("big content\n")+"' | git hash-object -w --no-filters --stdin")
		r.git("update-index", "--add", "--cacheinfo", "100644,"+pointed+",big.bin")
	}
	r.git("commit", "-q", "-m", "large")
	os.Remove(told)
	return r, told
}

func oidOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func pointerTo(content string) string {
	return pointer{oid: oidOf(content), size: int64(len(content))}.text()
}

// stored is what the user's git-lfs has under the name of a content.
func (r *repo) stored(content string) string {
	oid := oidOf(content)
	text, _ := os.ReadFile(filepath.Join(r.dir, ".git", "lfs", "objects", oid[:2], oid[2:4], oid))
	return string(text)
}

func calls(told string) string {
	text, _ := os.ReadFile(told)
	return string(text)
}

// Where git-lfs is set up and missing, git itself cannot even check out.
func TestMissingLFSIsNotMissed(t *testing.T) {
	ctx := context.Background()
	r, _ := withLFS(t, false)
	if out, err := try(r.dir, "git", "worktree", "add", "--detach", t.TempDir()+"/x"); err == nil {
		t.Fatalf("git does without: %s", out)
	}
	p, base := r.pool(), r.head()
	tree := add(t, p, "coder-1", base)
	if text := readText(t, filepath.Join(tree.Path, "big.bin")); text != pointerTo("big content\n") {
		t.Errorf("the tree holds %q", text)
	}
	put(t, tree.Path, map[string]string{"new.bin": "new content\n", "new.txt": "text\n"})
	got := finish(t, p, tree)
	if len(got.LeftOut)+len(got.Notes) > 0 || r.show(got.Tip, "new.bin")+"\n" != pointerTo("new content\n") || r.stored("new content\n") != "new content\n" {
		t.Errorf("%+v: %q, stored %q", got, r.show(got.Tip, "new.bin"), r.stored("new content\n"))
	}
	must(t, p.Release(ctx, tree))
	again := add(t, p, "coder-2", got.Tip)
	if text := readText(t, filepath.Join(again.Path, "new.bin")); text != pointerTo("new content\n") {
		t.Errorf("the next tree holds %q", text)
	}
	r.fsck()
}

func TestLFSRunsForTheWorkerOnly(t *testing.T) {
	ctx := context.Background()
	r, told := withLFS(t, true)
	p, base := r.pool(), r.head()
	tree := add(t, p, "coder-1", base)
	snap := snapshot(t, p, tree, "")
	if said := calls(told); said != "" || snap.Commit != base {
		t.Errorf("%+v; called %q", snap, said)
	}

	// A checkout of the worker's own fills nothing; it has to ask.
	sh(t, tree.Path, `rm big.bin; git checkout -q -- big.bin; grep -q ^oid big.bin`)
	if said := calls(told); !strings.Contains(said, "smudge --skip -- big.bin") {
		t.Errorf("called %q", said)
	}
	sh(t, tree.Path, `git lfs pull; grep "big content" big.bin; test -z "$(git status --porcelain)"`)
	must(t, os.Remove(told))
	if got := finish(t, p, tree); got.Tip != base || len(got.LeftOut)+len(got.Notes) > 0 {
		t.Errorf("a file that was filled looks changed: %+v", got)
	}

	sh(t, tree.Path, `echo "it was staged" >staged.bin; git add staged.bin; git commit -q -m staged; echo "it was changed" >big.bin; chmod +x big.bin
		mkdir -p ../git/lfs/objects/00/00; echo forged >../git/lfs/objects/00/00/`+strings.Repeat("0", 64))
	must(t, os.Remove(told))
	digest, err := p.TreeDigest(ctx, tree)
	must(t, err)
	if r.stored("it was changed\n") != "" {
		t.Error("looking at a tree keeps what is in it")
	}
	got := finish(t, p, tree)
	if said := calls(told); said != "" {
		t.Errorf("we called %q", said)
	}
	for name, content := range map[string]string{"staged.bin": "it was staged\n", "big.bin": "it was changed\n"} {
		if r.show(got.Tip, name)+"\n" != pointerTo(content) || r.stored(content) != content {
			t.Errorf("%s: %q, stored %q", name, r.show(got.Tip, name), r.stored(content))
		}
	}
	if r.git("rev-parse", got.Tip+"^{tree}") != digest || !strings.HasPrefix(r.git("ls-tree", got.Tip, "big.bin"), "100755") {
		t.Errorf("the digest was %s; %s", digest, r.git("ls-tree", got.Tip))
	}
	if _, err := os.Stat(filepath.Join(r.dir, ".git/lfs/objects/00/00")); err == nil {
		t.Error("a content came in under a wrong name")
	}
	must(t, p.Release(ctx, tree))
	r.fsck()
}

// A storage that the user put elsewhere is found as well.
func TestLFSStorageElsewhere(t *testing.T) {
	r, _ := withLFS(t, true)
	elsewhere := filepath.Join(t.TempDir(), "storage")
	must(t, os.Rename(filepath.Join(r.dir, ".git", "lfs"), elsewhere))
	r.git("config", "lfs.storage", elsewhere)
	p, base := r.pool(), r.head()
	tree := add(t, p, "coder-1", base)
	sh(t, tree.Path, `git lfs pull; grep "big content" big.bin; echo more >more.bin; git add more.bin; git commit -q -m more`)
	got := finish(t, p, tree)
	oid := oidOf("more\n")
	if text := readText(t, filepath.Join(elsewhere, "objects", oid[:2], oid[2:4], oid)); text != "more\n" || len(got.LeftOut) > 0 {
		t.Errorf("%+v; stored %q", got, text)
	}
	must(t, p.Release(context.Background(), tree))
}

func TestChangesOfACheckoutWithLFS(t *testing.T) {
	ctx := context.Background()
	r, _ := withLFS(t, true)
	sh(t, r.dir, `touch -d 2001-01-01 big.bin`)
	if c := keepChanges(t, r); len(c.Paths) > 0 {
		t.Errorf("times alone: %+v", c)
	}
	r.write(map[string]string{"big.bin": "changed\n"})
	c := keepChanges(t, r)
	if strings.Join(c.Paths, " ") != "big.bin" || r.show(c.Commit, "big.bin")+"\n" != pointerTo("changed\n") || r.stored("changed\n") == "" {
		t.Errorf("%+v: %q", c, r.show(c.Commit, "big.bin"))
	}
	p := r.pool()
	tree := add(t, p, "coder-1", c.Commit)
	put(t, tree.Path, map[string]string{"work.txt": "w\n"})
	_, err := p.Land(ctx, LandSpec{Join: finish(t, p, tree).Tip, Base: c.Commit, Message: "land"})
	must(t, err)
	if text := readText(t, filepath.Join(r.dir, "big.bin")); text != "changed\n" || r.git("status", "--porcelain") != "" {
		t.Errorf("landed %q: %s", text, r.git("status", "--porcelain"))
	}
}

func TestPointers(t *testing.T) {
	for text, want := range map[string]bool{
		pointerTo("x"): true,
		"version https://hawser.github.com/spec/v1\noid sha256:" + oidOf("x") + "\nsize 1\n":                                     true,
		"version https://git-lfs.github.com/spec/v1\next-0-x sha256:" + oidOf("y") + "\noid sha256:" + oidOf("x") + "\nsize 1\n": true,
		"": false, "version 1\n": false, "oid sha256:" + oidOf("x") + "\n": false,
		pointerTo("x") + strings.Repeat("x", maxPointer): false,
	} {
		if got := isPointer([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
