package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// One row is what a worker does in its tree, and what must come of it.
var leftovers = []struct {
	name   string
	script string
	names  string // files of the tip
	shows  map[string]string
	notes  []string // each must be in a note
	left   []string // each must be left out
	parent string   // parents of the tip, "base", "theirs"; empty: not checked
}{
	{
		name: "nothing", script: ``,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|",
	}, {
		name: "edits, new files, deletions", script: `echo x >>lib/a.txt; rm lib/b.txt; mkdir -p n/e; echo new >n/e/w; chmod +x main.go; ln -s main.go link`,
		names: ".gitignore|lib/a.txt|link|main.go|n/e/w|", parent: "base",
	}, {
		name: "staged and changed again", script: `echo 1 >f; git add f; echo 2 >f`,
		names: ".gitignore|f|lib/a.txt|lib/b.txt|main.go|", shows: map[string]string{"f": "2"},
	}, {
		name: "staged and deleted again", script: `echo 1 >f; git add f; rm f`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|",
	}, {
		name: "file becomes folder, folder becomes file", script: `rm -r lib; echo f >lib; rm main.go; mkdir main.go; echo g >main.go/x`,
		names: ".gitignore|lib|main.go/x|",
	}, {
		name: "folder becomes link", script: `rm -r lib; ln -s .. lib`,
		names: ".gitignore|lib|main.go|", shows: map[string]string{"lib": ".."},
	}, {
		name: "strange names", script: `printf 1 >'-n'; printf 2 >'a
b'; printf 3 >'日 本.txt'; printf 4 >'*'; printf 5 >'--help'; printf 6 >'"q\'; mkdir -- '-d'; printf 7 >'-d/ '`,
		names: "\"q\\|*|--help|-d/ |-n|.gitignore|a\nb|lib/a.txt|lib/b.txt|main.go|日 本.txt|", shows: map[string]string{"a\nb": "2"},
	}, {
		name: "ignored files are told", script: `mkdir node_modules; echo x >node_modules/x; echo k >k.secret; echo y >y`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|y|", left: []string{"node_modules/", "k.secret"},
	}, {
		name: "ignored but committed by force", script: `echo k >k.secret; git add -f k.secret; git commit -qm k; echo more >>k.secret`,
		names: ".gitignore|k.secret|lib/a.txt|lib/b.txt|main.go|", shows: map[string]string{"k.secret": "k\nmore"},
	}, {
		name: "large files are told", script: `head -c 3000 /dev/zero >large; head -c 3000 /dev/zero >>main.go; echo y >y`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|y|", left: []string{"large (3000 bytes)"},
	}, {
		name: "pipes and sockets are told", script: `mkfifo pipe lib/pipe; echo y >y`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|y|", left: []string{"pipe (cannot be read)", "lib/pipe"},
	}, {
		name: "a repository inside", script: `git init -q in; cd in; echo f >f; mkdir d; echo k >k.secret; echo g >d/g; git add f; g commit -qm in; git init -q d/deep; echo h >d/deep/h`,
		names: ".gitignore|in/d/deep/h|in/d/g|in/f|lib/a.txt|lib/b.txt|main.go|", left: []string{"in/.git/", "in/d/deep/.git/", "in/k.secret"},
	}, {
		name: "a repository in a tracked folder", script: `git init -q lib; cd lib; echo c >c; git add .; g commit -qm in`,
		names: ".gitignore|lib/a.txt|lib/b.txt|lib/c|main.go|", left: []string{"lib/.git/"},
	}, {
		name: "an empty repository inside", script: `git init -q in`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|", left: []string{"in/.git/"},
	}, {
		name: "names git does not take", script: `mkdir git~1 .GIT; echo x >git~1/x; echo x >.GIT/x; echo y >y`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|y|", left: []string{"git~1/x", ".GIT/"},
	}, {
		name: "a link in the place of .gitmodules", script: `ln -s main.go .gitmodules; echo y >y`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|y|", left: []string{".gitmodules"},
	}, {
		name: "commits on another branch", script: `git checkout -q -b other; echo o >o; git add o; git commit -qm o; echo p >p`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|p|", notes: []string{"refs/heads/other"},
	}, {
		name: "commits on a packed branch", script: `git checkout -q -b other; echo o >o; git add o; git commit -qm o; git pack-refs --all; test ! -e "$(git rev-parse --git-dir)/refs/heads/other"`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"refs/heads/other"},
	}, {
		name: "a branch of the user's is checked out", script: `git checkout -q main; echo o >o; git add o; git commit -qm o`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"refs/heads/main"},
	}, {
		name: "amended and rebased", script: `for i in 1 2 3; do echo $i >f$i; git add .; git commit -qm $i; done; git commit -q --amend -m three; GIT_SEQUENCE_EDITOR='sed -i 1d' git rebase -q -i HEAD~3; git stash list`,
		names: ".gitignore|f2|f3|lib/a.txt|lib/b.txt|main.go|",
	}, {
		name: "an orphan branch without a commit", script: `git checkout -q --orphan none; echo o >o`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"refs/heads/none"}, parent: "base",
	}, {
		name: "history of its own", script: `git checkout -q --orphan own; git commit -qm own; echo o >o`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"does not go back to its base"}, parent: "base HEAD",
	}, {
		name: "the folder is deleted", script: `rm -rf "$PWD"`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|", notes: []string{"tree was deleted"},
	}, {
		name: "the folder is a link", script: `d=$PWD; cd ..; rm -rf "$d"; ln -s / "$d"`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|", notes: []string{"tree was deleted"},
	}, {
		name: "all in the folder is deleted", script: `git commit -q --allow-empty -m e; rm -rf -- * .git*`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|", notes: []string{"tree was deleted"}, parent: "base",
	}, {
		name: "the link to the git directory is deleted", script: `rm .git; echo o >o`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"'.git' was removed"},
	}, {
		name: "the top is another repository", script: `rm .git; git init -q; echo o >o; git add .; g commit -qm o; echo p >p`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|p|", notes: []string{"'.git' was removed"}, parent: "base",
	}, {
		name: "the git directory is deleted", script: `echo o >o; rm -rf ../git`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"git directory is gone"},
	}, {
		name: "HEAD is nonsense", script: `echo o >o; echo nonsense >../git/HEAD`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"not an object id"},
	}, {
		name: "HEAD is a pipe", script: `echo o >o; rm ../git/HEAD; mkfifo ../git/HEAD`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"'HEAD' is not a file"},
	}, {
		name: "HEAD is a tree", script: `echo o >o; t=$(git rev-parse HEAD^{tree}); echo $t >../git/HEAD`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"it is a tree"},
	}, {
		name: "HEAD names an escape", script: `echo o >o; echo 'ref: refs/../../../x' >../git/HEAD`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"no name of a ref"},
	}, {
		name: "refs point at each other", script: `echo o >o; echo 'ref: refs/heads/a' >../git/HEAD; echo 'ref: refs/heads/b' >../git/refs/heads/a; echo 'ref: refs/heads/a' >../git/refs/heads/b`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"points at itself"},
	}, {
		name: "an object of its commit is missing", script: `echo o >o; git add o; git commit -qm o; b=$(git rev-parse HEAD:o); rm -f ../git/objects/$(echo $b | cut -c1-2)/$(echo $b | cut -c3-)`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"cannot import"}, parent: "base",
	}, {
		name: "its index is nonsense and locked", script: `echo o >o; echo x >../git/index; : >../git/index.lock`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|",
	}, {
		name: "a conflicted merge", script: `git checkout -q -b theirs; echo t >lib/a.txt; git commit -qam t; git checkout -q -b ours HEAD~; echo o >lib/a.txt; git commit -qam o; git merge -q theirs || :; echo y >y`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|y|", notes: []string{"a merge was left half done, with conflict markers in lib/a.txt"}, parent: "HEAD",
	}, {
		name: "a resolved merge", script: `git checkout -q -b theirs; echo t >lib/a.txt; git commit -qam t; git checkout -q -b ours HEAD~; echo o >lib/a.txt; git commit -qam o; git merge -q theirs || :; echo both >lib/a.txt; git add .`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|", notes: []string{"a merge was left half done; its files"}, parent: "HEAD theirs",
	}, {
		name: "a merge with nothing to change", script: `git checkout -q -b theirs; echo t >t; git add t; git commit -qm t; git checkout -q -b ours HEAD~; echo o >o; git add o; git commit -qm o; git merge -q --no-commit -s ours theirs`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"a merge was left half done; its files"}, parent: "HEAD theirs",
	}, {
		name: "a conflicted rebase", script: `git checkout -q -b theirs; echo t >lib/a.txt; git commit -qam t; git checkout -q -b ours HEAD~; echo o >lib/a.txt; git commit -qam o; git rebase -q theirs || :`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|", notes: []string{"a rebase was left half done"}, parent: "HEAD",
	}, {
		name: "a merge of what is no commit", script: `echo o >o; echo 0123456789012345678901234567890123456789 >../git/MERGE_HEAD`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|", notes: []string{"cannot import"}, parent: "HEAD",
	}, {
		name: "many commits", script: `for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4 5 6 7 8 9; do mkdir -p d$i; echo $i$j >d$i/$j; done; git add .; git commit -qm $i; done; rm -r d*; git commit -qam gone; echo o >o`,
		names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|",
	},
}

func TestFinishTakesWhatIsThere(t *testing.T) {
	for _, tt := range leftovers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, small)
			c := r.config()
			c.Limit = 2000
			p, err := Open(context.Background(), c)
			must(t, err)
			defer p.Close()
			tree := add(t, p, "coder-1", r.head())
			sh(t, tree.Path, tt.script)
			var head, theirs string
			if tt.parent != "" {
				head, _ = try(tree.Path, "git", "rev-parse", "HEAD")
				theirs, _ = try(tree.Path, "git", "rev-parse", "theirs")
			}
			got := finish(t, p, tree)
			if names := r.names(got.Tip); names != tt.names {
				t.Errorf("the tip holds\n%q, want\n%q\n%+v", names, tt.names, got)
			}
			for name, text := range tt.shows {
				if r.show(got.Tip, name) != text {
					t.Errorf("%q holds %q", name, r.show(got.Tip, name))
				}
			}
			for _, word := range tt.notes {
				contains(t, got.Notes, word)
			}
			for _, word := range tt.left {
				contains(t, got.LeftOut, word)
			}
			if len(tt.notes) == 0 && len(got.Notes) > 0 || len(tt.left) == 0 && len(got.LeftOut) > 0 {
				t.Errorf("unexpected: %+v", got)
			}
			if tt.parent != "" {
				want := strings.NewReplacer("base", r.head(), "HEAD", head, "theirs", theirs).Replace(tt.parent)
				if parents := r.git("log", "-1", "--format=%P", got.Tip); parents != want && (got.Committed || got.Tip != want) {
					t.Errorf("parents are %s, want %s", parents, want)
				}
			}
			checkSettled(t, r, p, tree, got.Tip)
		})
	}
}

// checkSettled: after Finish the worker's own git agrees that all is committed,
// finishing again changes nothing, and the user's repository is whole.
func checkSettled(t *testing.T, r *repo, p *Pool, tree *Tree, tip string) {
	t.Helper()
	again := finish(t, p, tree)
	if again.Tip != tip || again.Committed {
		t.Errorf("finishing again made %s of %s: %+v", again.Tip, tip, again)
	}
	link, err := os.ReadFile(filepath.Join(tree.Path, ".git"))
	if err == nil && string(link) == gitLink {
		if head := run(t, tree.Path, "git", "rev-parse", "HEAD"); head != tip {
			t.Errorf("the worker's HEAD is %s, not %s", head, tip)
		}
		if out := run(t, tree.Path, "git", "status", "--porcelain", "-uno"); out != "" {
			t.Errorf("the worker's status: %s", out)
		}
	}
	if out := r.git("for-each-ref", "--format=%(refname)"); out != "refs/heads/main" {
		t.Errorf("the user's refs are %q", out)
	}
	r.fsck()
}

func TestFinishedTreeGoesOn(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, `echo 1 >one`)
	first := finish(t, p, tree)
	sh(t, tree.Path, `git log -1 --format=%s | grep -q work; echo 2 >two; git add two; git commit -qm two; echo 3 >three`)
	second := finish(t, p, tree)
	if got := r.git("log", "--format=%s", second.Tip); got != "work\ntwo\nwork\nbase" {
		t.Errorf("history is %q", got)
	}
	if parent := r.git("rev-parse", second.Tip+"~2"); parent != first.Tip {
		t.Errorf("the second work stands on %s, not %s", parent, first.Tip)
	}
}

func TestMessagesOfTheEngine(t *testing.T) {
	tests := []struct {
		in   CommitMessage
		want string
	}{
		{CommitMessage{Subject: "add a flag"}, "add a flag\n"},
		{CommitMessage{}, "work\n"},
		{CommitMessage{Subject: "a\n b\tc \x1b[31m\r\x00", Body: "x \n\ny\u202e\xff\n\n"}, "a b c [31m\n\nx\n\ny\ufffd\n"},
		{CommitMessage{Subject: "s", Body: "b", Trailers: []string{"Flower-Run: 1", "Flower-Worker: c"}}, "s\n\nb\n\nFlower-Run: 1\nFlower-Worker: c\n"},
		{CommitMessage{Subject: "s", Trailers: []string{"A: b"}}, "s\n\nA: b\n"},
	}
	for _, tt := range tests {
		if got, err := tt.in.text(); got != tt.want || err != nil {
			t.Errorf("%+v: %q, %v", tt.in, got, err)
		}
	}
	for _, bad := range []string{"", "no", "A:b", ": x", "a b: c", "A: b\nB: c"} {
		if text, err := (CommitMessage{Subject: "s", Trailers: []string{bad}}).text(); err == nil {
			t.Errorf("trailer %q gave %q", bad, text)
		}
	}
}

func TestFinishNeedsATreeOfOurs(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	release(t, p, tree)
	if _, err := p.Finish(context.Background(), tree, CommitMessage{}); err == nil {
		t.Error("a tree that was given back could be finished")
	}
}
