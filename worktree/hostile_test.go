package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// traps plants, in a worker's tree, everything known to make git run a program.
// Each writes its name into the folder told.
const traps = `
trap="$1"
plant() { printf '#!/bin/sh\necho %s >>"%s/sprung"\ncat 2>/dev/null\nexit 0\n' "$1" "$trap" >"$trap/$1"; chmod +x "$trap/$1"; }
for what in fsmonitor hook filter textconv external merge pager editor ssh gpg alternates credential submodule; do plant $what; done
plantconfig() {
	git config --file "$1" core.fsmonitor "$trap/fsmonitor"
	git config --file "$1" core.hooksPath "$trap/hooks"
	git config --file "$1" filter.evil.clean "$trap/filter"
	git config --file "$1" filter.evil.smudge "$trap/filter"
	git config --file "$1" filter.evil.process "$trap/filter"
	git config --file "$1" filter.evil.required true
	git config --file "$1" diff.evil.textconv "$trap/textconv"
	git config --file "$1" diff.external "$trap/external"
	git config --file "$1" diff.evil.command "$trap/external"
	git config --file "$1" merge.evil.driver "$trap/merge %A"
	git config --file "$1" core.pager "$trap/pager"
	git config --file "$1" core.editor "$trap/editor"
	git config --file "$1" core.sshCommand "$trap/ssh"
	git config --file "$1" gpg.program "$trap/gpg"
	git config --file "$1" commit.gpgSign true
	git config --file "$1" core.alternateRefsCommand "$trap/alternates"
	git config --file "$1" credential.helper "$trap/credential"
	git config --file "$1" submodule.sub.update "!$trap/submodule"
	git config --file "$1" uploadpack.packObjectsHook "$trap/hook"
}
mkdir -p "$trap/hooks"
for h in pre-commit post-commit post-checkout reference-transaction post-index-change pre-merge-commit post-merge prepare-commit-msg commit-msg fsmonitor-watchman; do cp "$trap/hook" "$trap/hooks/$h"; done
`

func TestNothingOfTheWorkersRuns(t *testing.T) {
	scripts := map[string]string{
		"its own config and hooks": `plantconfig ../git/config; mkdir -p ../git/hooks; cp "$trap"/hooks/* ../git/hooks/`,
		"another repository at the top": `rm .git; git init -q .; g add .; g commit -q -m o; plantconfig .git/config; cp "$trap"/hooks/* .git/hooks/
			printf '* filter=evil diff=evil merge=evil\n' >.gitattributes`,
		"a git directory elsewhere":    `git init -q --bare ../tree/evil; plantconfig evil/config; cp "$trap"/hooks/* evil/hooks/; echo "gitdir: evil" >.git`,
		"a common directory elsewhere": `git init -q --bare evil; plantconfig evil/config; echo "$PWD/evil" >../git/commondir`,
		"repositories inside": `mkdir -p lib/x; git init -q sub; (cd sub; echo f >f; g add f; g commit -q -m f); plantconfig sub/.git/config; cp "$trap"/hooks/* sub/.git/hooks/
			git init -q lib/x; echo f >lib/x/f; plantconfig lib/x/.git/config
			git init -q lib; plantconfig lib/.git/config`,
		"a submodule of its own": `git init -q sub; (cd sub; echo f >f; g add f; g commit -q -m f); plantconfig sub/.git/config
			git -c advice.addEmbeddedRepo=false add sub; printf '[submodule "sub"]\n\tpath = sub\n\turl = ext::%s\n\tupdate = !%s\n' "$trap/ssh" "$trap/submodule" >.gitmodules; git add .gitmodules; git commit -q -m sub; echo more >sub/more`,
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			r := newRepo(t, small)
			config := r.git("config", "--list", "--local")
			p, base, trap := r.pool(), r.head(), filepath.Join(t.TempDir(), "trap")
			must(t, os.Mkdir(trap, 0o755))
			tree := add(t, p, "coder-1", base)
			plant := filepath.Join(t.TempDir(), "plant.sh")
			attributes := "* filter=evil diff=evil merge=evil\n"
			must(t, os.WriteFile(plant, []byte(`g() { git -c user.name=Eve -c user.email=e@e "$@"; }`+"\n"+traps+script+
				"\nprintf '"+attributes+`' >.gitattributes; echo x >>lib/a.txt; echo y >new`+"\n"), 0o644))
			run(t, tree.Path, "sh", "-e", plant, trap)

			snap, err := p.Snapshot(ctx, tree, "")
			must(t, err)
			got := finish(t, p, tree)
			_, err = p.TreeDigest(ctx, tree)
			must(t, err)
			_, err = p.Join(ctx, JoinSpec{Join: got.Tip, Tip: base, Message: "join"})
			must(t, err)
			other, _ := restore(t, p, "coder-2", got.Tip, snap.Commit)
			check, err := p.Checkout(ctx, got.Tip, ProtectSpec{From: base, Paths: []string{"lib"}})
			must(t, err)
			for _, tree := range []*Tree{check, other, tree} {
				release(t, p, tree)
			}
			if text, err := os.ReadFile(filepath.Join(trap, "sprung")); err == nil {
				t.Errorf("these ran: %s", strings.Fields(string(text)))
			}
			if now := r.git("config", "--list", "--local"); now != config {
				t.Errorf("the user's configuration changed:\n%s", now)
			}
			if got := r.show(got.Tip, "new"); got != "y" {
				t.Errorf("the work is %q", got)
			}
			r.fsck()
		})
	}
}

// The traps of the test above are real: a careless git walks into them.
func TestTrapsAreReal(t *testing.T) {
	r := newRepo(t, small)
	p, trap := r.pool(), t.TempDir()
	tree := add(t, p, "coder-1", r.head())
	plant := filepath.Join(t.TempDir(), "plant.sh")
	must(t, os.WriteFile(plant, []byte(traps+`plantconfig ../git/config`), 0o644))
	run(t, tree.Path, "sh", "-e", plant, trap)
	try(tree.Path, "git", "status")
	if text, _ := os.ReadFile(filepath.Join(trap, "sprung")); !strings.Contains(string(text), "fsmonitor") {
		t.Errorf("only these ran: %q", text)
	}
}

func TestUsersHooksAndMonitorStayOut(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	mark := filepath.Join(t.TempDir(), "ran")
	put(t, r.dir, map[string]string{"../hook": "#!/bin/sh\necho $0 >>'" + mark + "'\n"})
	hook := filepath.Join(r.dir, "..", "hook")
	must(t, os.Chmod(hook, 0o755))
	hooks := filepath.Join(r.dir, "..", "hooks")
	must(t, os.Mkdir(hooks, 0o755))
	for _, name := range []string{"pre-commit", "post-commit", "post-checkout", "reference-transaction", "post-index-change"} {
		must(t, os.Link(hook, filepath.Join(hooks, name)))
	}
	base := r.head()
	r.git("config", "core.hooksPath", hooks)
	r.git("config", "core.fsmonitor", hook)

	p := r.pool()
	tree := add(t, p, "coder-1", base)
	sh(t, tree.Path, `echo x >x; git add x; git commit -q -m x; echo y >y; git status >/dev/null`)
	got := finish(t, p, tree)
	_, err := p.Snapshot(ctx, tree, got.Tip)
	must(t, err)
	release(t, p, tree)
	if text, err := os.ReadFile(mark); err == nil {
		t.Errorf("these ran: %s", text)
	}
}

func TestForgedObjectsDoNotGetIn(t *testing.T) {
	r := newRepo(t, small)
	p, base := r.pool(), r.head()
	scripts := map[string]string{
		"content under a wrong name": `echo good >f; git add f; git commit -q -m f
			good=$(git rev-parse HEAD:f); bad=$(echo evil | git hash-object -w --stdin)
			p() { echo ../git/objects/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-); }
			chmod u+w $(p $good); cat $(p $bad) >$(p $good)`,
		"a tree with .git in it": `blob=$(echo evil | git hash-object -w --stdin)
			evil=$(printf "100644 blob $blob\tconfig\n" | git mktree); top=$(printf "040000 tree $evil\t.git\n" | git mktree)
			echo $(git commit-tree -p HEAD -m evil $top) >../git/HEAD`,
		"a commit without an author":   `printf "tree $(git rev-parse HEAD^{tree})\nparent $(git rev-parse HEAD)\n\nevil\n" | git hash-object --literally -t commit -w --stdin >../git/HEAD.new; mv ../git/HEAD.new ../git/HEAD`,
		"alternates that go elsewhere": `git init -q --bare ../tree/other; mv ../git/objects/info/alternates other/objects/info/; echo $PWD/other/objects >../git/objects/info/alternates; echo z >z; git add z; git commit -q -m z; rm -rf other`,
	}
	n := 0
	for name, script := range scripts {
		n++
		worker := "coder-" + string(rune('0'+n))
		t.Run(name, func(t *testing.T) {
			tree := add(t, p, worker, base)
			sh(t, tree.Path, script)
			got := finish(t, p, tree)
			if !strings.HasPrefix(name, "alternates") {
				contains(t, got.Notes, "cannot import")
			}
			if parent := r.git("log", "-1", "--format=%P", got.Tip); got.Committed && parent != base {
				t.Errorf("%s stands on %s", got.Tip, parent)
			}
			r.fsck()
		})
	}
}

// A worker's tree must not be a way to write into the user's repository.
func TestUsersRepositoryIsOutOfReach(t *testing.T) {
	r := newRepo(t, small)
	p, base := r.pool(), r.head()
	tree := add(t, p, "coder-1", base)
	before := sh(t, r.dir, `find .git -type f ! -name config | sort | xargs -d '\n' sha1sum`)
	sh(t, tree.Path, `
		git branch -f main HEAD; git checkout -q main; echo x >x; git add x; git commit -q -m x
		git tag t; git stash list; echo y >>x; git stash -q; git stash pop -q; git commit -q -am y
		git update-ref refs/heads/main HEAD; git branch -m main other; git config user.name Mallory; git gc -q --prune=now; git repack -adq; git prune
		git worktree add -q ../extra; git notes add -m n; git reflog expire --expire=now --all; git fetch -q . other:third; git remote add u x`)
	if after := sh(t, r.dir, `find .git -type f ! -name config | sort | xargs -d '\n' sha1sum`); after != before {
		t.Errorf("the user's git directory changed:\n%s\n%s", before, after)
	}
	if name := r.git("config", "user.name"); name != "Ada" {
		t.Errorf("the user is now %q", name)
	}
	got := finish(t, p, tree)
	if got := r.show(got.Tip, "x"); got != "x\ny" {
		t.Errorf("x is %q", got)
	}
	r.fsck()
}
