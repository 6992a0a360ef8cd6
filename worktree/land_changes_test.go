package worktree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// changedScene is a checkout with changes of every kind, kept in a commit, and
// a result that was made from it.
func changedScene(t *testing.T, dirt string, files map[string]string) (r *repo, p *Pool, base, join string) {
	t.Helper()
	r = newRepo(t, small)
	p = r.pool()
	sh(t, r.dir, dirt)
	c, err := p.KeepChanges(context.Background())
	must(t, err)
	return r, p, c.Commit, r.sideApart(c.Commit, files)
}

var result = map[string]string{"t": "t\n", "lib/a.txt": "one\ntwo\nthree\nresult\n"}

// sideApart is side without going through the checkout.
func (r *repo) sideApart(base string, files map[string]string) string {
	r.t.Helper()
	apart := &repo{t: r.t, dir: filepath.Join(r.t.TempDir(), "apart"), sides: r.sides}
	r.git("worktree", "add", "-q", "--detach", apart.dir, base)
	defer r.git("worktree", "remove", apart.dir)
	apart.write(files)
	apart.git("add", "-A")
	apart.git("commit", "-q", "-m", "side 1")
	return apart.head()
}

const everyKind = `echo mine >>lib/a.txt; rm lib/b.txt; mkdir new; echo n >new/n; chmod 755 new/n; echo s >s; git add s; ln -s s l; rm main.go; mkdir main.go; echo x >main.go/x; mkdir node_modules; echo ignored >node_modules/x`

func TestLandReplacesRecordedChanges(t *testing.T) {
	const commitSince = `git stash -q -u; echo o >o; git add o; git commit -q -m o; git stash pop -q --index`
	const simple = `echo mine >>lib/a.txt; rm lib/b.txt; mkdir new; echo n >new/n; echo s >s; git add s`
	beside := map[string]string{"t": "t\n"}
	tests := []struct {
		name, since   string
		dirt          string            // everyKind if empty
		files         map[string]string // of the result; nil: result
		spec          LandSpec
		clean         bool // nothing is left to be replaced
		parents       int
		subjects      string // of what is new in the branch
		mustHaveFiles string
	}{
		{name: "fast-forward", parents: 1, subjects: "Uncommitted changes|side 1"},
		{name: "no fast-forward", spec: LandSpec{NoFF: true}, parents: 2, subjects: "Uncommitted changes|land it|side 1"},
		{name: "squash", spec: LandSpec{Squash: true}, parents: 1, subjects: "land it"},
		{name: "HEAD moved on", dirt: simple, since: commitSince, parents: 2, subjects: "Uncommitted changes|land it|o|side 1", mustHaveFiles: "o"},
		{name: "HEAD moved on, squash", dirt: simple, since: commitSince, spec: LandSpec{Squash: true}, parents: 1, subjects: "land it|o", mustHaveFiles: "o"},
		{name: "partly committed since", files: beside, since: `git add lib; git commit -q -m o`, parents: 2, subjects: "Uncommitted changes|land it|o|side 1"},
		{name: "committed since", files: beside, since: `git add -A; git commit -q -m o`, clean: true, parents: 2, subjects: "Uncommitted changes|land it|o|side 1"},
		{name: "all staged since", since: `git add -A`, parents: 1, subjects: "Uncommitted changes|side 1"},
		{name: "put away since", since: `git stash -q -u`, clean: true, parents: 1, subjects: "Uncommitted changes|side 1"},
		{name: "only new files left", since: `git add -A; git reset -q new l; git stash -q`, parents: 1, subjects: "Uncommitted changes|side 1"},
		{name: "another file since", since: `echo u >untracked`, parents: 1, subjects: "Uncommitted changes|side 1", mustHaveFiles: "untracked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.dirt == "" {
				tt.dirt, tt.mustHaveFiles = everyKind, tt.mustHaveFiles+" l main.go/x node_modules/x"
			}
			if tt.files == nil {
				tt.files = result
			}
			r, p, base, join := changedScene(t, tt.dirt, tt.files)
			first := r.head()
			sh(t, r.dir, tt.since)
			tt.spec.Join, tt.spec.Base, tt.spec.Message = join, base, "land it"
			got, err := p.Land(context.Background(), tt.spec)
			must(t, err)
			if (len(got.Replaced) == 0) != tt.clean {
				t.Errorf("replaced %q", got.Replaced)
			}
			if out := r.git("status", "--porcelain", "--untracked-files=no"); out != "" {
				t.Errorf("status %q", out)
			}
			subjects := strings.Split(r.git("log", "--format=%s", first+".."), "\n")
			slices.Sort(subjects)
			if got := strings.Join(subjects, "|"); got != tt.subjects {
				t.Errorf("new commits %q", got)
			}
			if got := len(strings.Fields(r.git("log", "-1", "--format=%P"))); got != tt.parents {
				t.Errorf("%d parents", got)
			}
			for name := range strings.FieldsSeq("t new/n s " + tt.mustHaveFiles) {
				if _, err := os.Lstat(filepath.Join(r.dir, name)); err != nil {
					t.Error(err)
				}
			}
			if text := readText(t, filepath.Join(r.dir, "lib/a.txt")); text != r.show(join, "lib/a.txt")+"\n" {
				t.Errorf("the file holds %q", text)
			}
			if _, err := os.Lstat(p.asideIn()); err == nil {
				t.Error("the copies are still there")
			}
			r.fsck()
		})
	}
}

func TestLandRefusesOtherChanges(t *testing.T) {
	hook := func(name string) string {
		return `mkdir -p .git/hooks; printf '#!/bin/sh\necho no such luck >&2\nexit 1\n' >.git/hooks/` + name + `; chmod +x .git/hooks/` + name
	}
	said := func(word string) func(error) bool {
		return func(err error) bool { return strings.Contains(err.Error(), word) }
	}
	tests := []struct {
		name, dirt, since string
		spec              LandSpec
		right             func(error) bool
	}{
		{name: "changed again", since: `echo more >>lib/a.txt`, right: isType[*DirtyError]},
		{name: "another file changed", since: `echo more >>.gitignore`, right: isType[*DirtyError]},
		{name: "another file staged", since: `echo m >m; git add m`, right: isType[*DirtyError]},
		{name: "one change taken back", since: `git checkout -q lib/a.txt`, right: isType[*DirtyError]},
		{name: "a removed file is there again", since: `git checkout -q lib/b.txt`, right: isType[*DirtyError]},
		{name: "a new file gone", since: `rm new/n`, right: isType[*DirtyError]},
		{name: "a new file changed", since: `echo m >new/n`, right: isType[*DirtyError]},
		{name: "mode changed", since: `chmod -x new/n`, right: isType[*DirtyError]},
		{name: "new file changed, the rest put away", since: `git add -A; git reset -q new; git stash -q; echo m >new/n`, right: isType[*OverwriteError]},
		{name: "staged alone", dirt: `echo staged >s; git add s; echo s >s`, right: isType[*StagedError]},
		{name: "merge on its way", since: `git update-ref MERGE_HEAD HEAD`, right: isType[*InProgressError]},
		{name: "untracked file in the way", since: `echo mine >t`, right: isType[*OverwriteError]},
		{name: "conflict", since: `git add lib/a.txt; git commit -q -m o`, right: isType[*ConflictError]},
		{name: "hook refuses a ref", since: hook("reference-transaction"), right: said("no such luck")},
		{name: "hook refuses a squash", since: hook("pre-commit"), spec: LandSpec{Squash: true}, right: said("no such luck")},
		{name: "hook refuses a merge", since: `git update-ref HEAD $(git commit-tree -p HEAD -m o HEAD^{tree}); ` + hook("commit-msg"), right: said("no such luck")},
		{name: "locked index", since: `: >.git/index.lock`, right: said("index.lock")},
		{name: "an earlier landing", since: `mkdir -p .git/flower/landing; echo x >.git/flower/landing/0`, right: isType[*InterruptedError]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, p, base, join := changedScene(t, everyKind+"\n"+tt.dirt, result)
			sh(t, r.dir, tt.since)
			index := filepath.Join(r.dir, ".git", "index")
			before, was := scene(t, r), readText(t, index)
			tt.spec.Join, tt.spec.Base, tt.spec.Message = join, base, "land it"
			got, err := p.Land(context.Background(), tt.spec)
			if err == nil || !tt.right(err) {
				t.Errorf("%v, %+v", err, got)
			}
			if readText(t, index) != was {
				t.Error("the index is another one")
			}
			if after := scene(t, r); after != before {
				t.Errorf("the checkout was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// A base that only looks like one of ours gives no leave to replace anything.
func TestLandBelievesNoMessage(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	first := r.head()
	foreign := r.git("commit-tree", "-p", first, "-m", keptSubject+"\n\n"+tipTrailer+strings.Repeat("0", 40), first+"^{tree}")
	sh(t, r.dir, `echo x >>lib/a.txt`)
	for _, base := range []string{"", first, foreign} {
		if _, err := p.Land(context.Background(), LandSpec{Join: r.sideApart(first, map[string]string{"t": "t\n"}), Base: base}); !isType[*DirtyError](err) {
			t.Errorf("base '%s': %v", base, err)
		}
	}
}
