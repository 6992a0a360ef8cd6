package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// keepChanges is KeepChanges of a repository whose checkout must stay as it is.
func keepChanges(t *testing.T, r *repo) Changes {
	t.Helper()
	config := r.config()
	config.Limit = 8
	p, err := Open(context.Background(), config)
	must(t, err)
	defer p.Close()
	index := filepath.Join(r.git("rev-parse", "--absolute-git-dir"), "index")
	before, was := scene(t, r), readText(t, index)
	c, err := p.KeepChanges(context.Background())
	must(t, err)
	if after := scene(t, r); after != before || readText(t, index) != was {
		t.Errorf("the checkout was\n%s\nand is\n%s", before, after)
	}
	if left, err := filepath.Glob(filepath.Join(r.state, "checkout-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	r.fsck()
	return c
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

func TestKeepChanges(t *testing.T) {
	tests := []struct {
		name, script string
		paths        string // what differs from HEAD
		leftOut      string
		staged       string
		show         [2]string // a file and what the commit holds of it
	}{
		{name: "nothing", script: `:`},
		{name: "times alone", script: `touch -d 2001-01-01 lib/a.txt`},
		{name: "what is ignored", script: `mkdir node_modules; echo x >node_modules/x`},
		{name: "changed, new, deleted", script: `echo x >>lib/a.txt; mkdir new; echo n >new/n; rm lib/b.txt`, paths: "lib/a.txt lib/b.txt new/n", show: [2]string{"new/n", "n"}},
		{name: "staged", script: `echo s >s; git add s; echo x >>lib/a.txt; git add -u`, paths: "lib/a.txt s", show: [2]string{"s", "s"}},
		{name: "staged and changed again", script: `echo s >lib/a.txt; git add -u; echo t >lib/a.txt`, paths: "lib/a.txt", staged: "lib/a.txt", show: [2]string{"lib/a.txt", "t"}},
		{name: "staged and gone", script: `echo s >s; git add s; rm s; echo x >>lib/a.txt`, paths: "lib/a.txt", staged: "s"},
		{name: "staged removal of a file that is there", script: `git rm -q --cached lib/a.txt`},
		{name: "staged rename", script: `git mv lib/b.txt lib/c.txt`, paths: "lib/b.txt lib/c.txt"},
		{name: "intent to add", script: `echo n >n; git add -N n`, paths: "n", show: [2]string{"n", "n"}},
		{name: "added although ignored", script: `mkdir node_modules; echo x >node_modules/x; echo y >node_modules/y; git add -f node_modules/x`, paths: "node_modules/x", show: [2]string{"node_modules/x", "x"}},
		{name: "too large", script: `printf 123456789 >big; echo 0123456789 >>lib/a.txt`, paths: "lib/a.txt", leftOut: "big (9 bytes)"},
		{name: "mode", script: `chmod +x main.go`, paths: "main.go"},
		{name: "link", script: `ln -s lib l`, paths: "l", show: [2]string{"l", "lib"}},
		{name: "a folder becomes a file", script: `rm -r lib; echo x >lib`, paths: "lib lib/a.txt lib/b.txt"},
		{name: "nested repository", script: `git init -q nested; echo x >nested/x; echo n >n`, paths: "n", leftOut: "nested/ (a repository of its own)"},
		{name: "skip-worktree", script: `git update-index --skip-worktree lib/a.txt; echo secret >lib/a.txt; echo n >n`, paths: "n", leftOut: "lib/a.txt (hidden from git by a flag)"},
		{name: "assume-unchanged", script: `git update-index --assume-unchanged lib/a.txt; echo secret >lib/a.txt; echo n >n`, paths: "n", leftOut: "lib/a.txt (hidden from git by a flag)"},
		{name: "sparse", script: `git sparse-checkout set --no-cone /main.go /n; echo n >n; echo x >>main.go`, paths: "main.go n"},
		{name: "sparse index", script: `git sparse-checkout set --cone --sparse-index; echo n >n`, paths: "n"},
		{name: "split index", script: `git update-index --split-index; echo n >n; git add n`, paths: "n"},
		{name: "line ends", script: `git config core.autocrlf true; rm lib/a.txt; git checkout -q lib/a.txt; printf 'one\r\n' >n`, paths: "n", show: [2]string{"n", "one"}},
		{name: "detached", script: `git checkout -q --detach; echo n >n`, paths: "n"},
		{name: "odd names", script: `echo n >':(top)x'; printf n >'a
b'`, paths: ":(top)x a\nb"},
		{name: "in a file's place", script: `rm main.go; mkfifo main.go; echo n >n`, paths: "n", leftOut: "main.go (error: main.go: unsupported file type)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, small)
			sh(t, r.dir, tt.script)
			c := keepChanges(t, r)
			if got := strings.Join(c.Paths, " "); got != tt.paths || c.Head != r.head() {
				t.Errorf("paths %q, head %s", got, c.Head)
			}
			if got := strings.Join(c.LeftOut, "|"); got != tt.leftOut {
				t.Errorf("left out %q", got)
			}
			if got := strings.Join(c.Staged, " "); got != tt.staged {
				t.Errorf("staged alone %q", got)
			}
			if (c.Commit == c.Head) != (tt.paths == "") {
				t.Errorf("%+v", c)
			}
			if tt.show[0] != "" && r.show(c.Commit, tt.show[0]) != tt.show[1] {
				t.Errorf("holds %q", r.show(c.Commit, tt.show[0]))
			}
		})
	}
}

func TestKeepChangesOfASubmodule(t *testing.T) {
	r, lib := newRepo(t, small), newRepo(t, map[string]string{"l": "l\n"})
	sh(t, r.dir, `git -c protocol.file.allow=always submodule --quiet add "`+lib.dir+`" sub; git commit -q -m sub`)
	if c := keepChanges(t, r); c.Commit != c.Head || len(c.LeftOut) > 0 {
		t.Errorf("a clean one: %+v", c)
	}
	sh(t, r.dir, `echo x >>sub/l; echo n >n`)
	if c := keepChanges(t, r); strings.Join(c.Paths, " ") != "n" || strings.Join(c.LeftOut, "|") != "sub (submodule)" {
		t.Errorf("a changed one: %+v", c)
	}
	sh(t, r.dir, `g -C sub commit -q -a -m x; git add sub`)
	if c := keepChanges(t, r); strings.Join(c.Paths, " ") != "n" || strings.Join(c.LeftOut, "|") != "sub (submodule)" {
		t.Errorf("one at another commit: %+v", c)
	}
}

func TestKeepChangesRefuses(t *testing.T) {
	apart := `git checkout -q -b o; echo o >lib/a.txt; git commit -q -a -m o; git checkout -q main; echo p >lib/a.txt; git commit -q -a -m p; `
	for name, tt := range map[string]struct {
		script string
		right  func(error) bool
	}{
		"merge":    {apart + `git merge -q o || :`, isType[*InProgressError]},
		"conflict": {apart + `git merge -q o || :; rm .git/MERGE_*`, isType[*ConflictError]},
		"rebase":   {apart + `git rebase -q o || :`, isType[*InProgressError]},
	} {
		r := newRepo(t, small)
		try(r.dir, "sh", "-c", tt.script)
		before := scene(t, r)
		if c, err := r.pool().KeepChanges(context.Background()); err == nil || !tt.right(err) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		if scene(t, r) != before {
			t.Errorf("%s: the checkout changed", name)
		}
	}
}
