package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/gitstate/gitcmd"
)

// pass takes a worker through its life in a repository of any kind.
func pass(t *testing.T, r *repo, c Config) {
	t.Helper()
	ctx := context.Background()
	p, err := Open(ctx, c)
	must(t, err)
	defer p.Close()
	base := r.head()
	tree := add(t, p, "coder-1", base)
	if out := run(t, tree.Path, "git", "status", "--porcelain"); out != "" {
		t.Errorf("a new tree is dirty: %s", out)
	}
	sh(t, tree.Path, `echo one >one; git add one; git commit -q -m one; git log -1 >/dev/null; echo two >two; rm lib/b.txt`)
	snap := snapshot(t, p, tree, "")
	got := finish(t, p, tree)
	if len(got.Notes)+len(got.LeftOut) > 0 || !got.Committed {
		t.Errorf("%+v", got)
	}
	join, err := p.Join(ctx, JoinSpec{Join: r.side(base, map[string]string{"three": "3\n"}), Tip: got.Tip, Message: "join"})
	must(t, err)
	check, err := p.Checkout(ctx, join.Commit, ProtectSpec{From: base, Paths: []string{"lib"}})
	must(t, err)
	if out := sh(t, check.Path, `cat one two three lib/b.txt | tr -d '\r' | tr '\n' ' '`); out != "one two 3 b " {
		t.Errorf("the check tree holds %q", out)
	}
	other, _ := restore(t, p, "coder-2", base, snap.Commit)
	if out := run(t, other.Path, "git", "status", "--porcelain", "-uall"); out != " D lib/b.txt\n?? two" {
		t.Errorf("restored: %q", out)
	}
	r.git("update-ref", "refs/flower/join/x", join.Commit)
	for _, tree := range []*Tree{check, other, tree} {
		release(t, p, tree)
	}
	if got := states(t, p); strings.Trim(got, "fre ") != "" {
		t.Errorf("states %q", got)
	}
	again := add(t, p, "coder-3", join.Commit)
	if d, err := p.TreeDigest(ctx, again); err != nil || d != r.git("rev-parse", join.Commit+"^{tree}") {
		t.Errorf("reused: %s, %v", d, err)
	}
	landed, err := p.Land(ctx, LandSpec{Join: join.Commit, Message: "land"})
	must(t, err)
	if r.head() != landed.After || landed.After == base {
		t.Errorf("landed %+v", landed)
	}
	r.fsck()
}

func TestOddRepositories(t *testing.T) {
	setups := map[string]func(t *testing.T) (*repo, Config){
		"plain": func(t *testing.T) (*repo, Config) { r := newRepo(t, small); return r, r.config() },
		"sha256": func(t *testing.T) (*repo, Config) {
			r := newRepo(t, small, "--object-format=sha256")
			return r, r.config()
		},
		"packed": func(t *testing.T) (*repo, Config) {
			r := newRepo(t, small)
			r.git("tag", "-a", "-m", "v1", "v1")
			r.git("gc", "-q")
			return r, r.config()
		},
		"linked worktree": func(t *testing.T) (*repo, Config) {
			main := newRepo(t, small)
			linked := *main
			linked.dir = filepath.Join(filepath.Dir(main.dir), "linked")
			main.git("worktree", "add", "-q", "-b", "side", linked.dir)
			main.git("sparse-checkout", "init") // switches extensions.worktreeConfig on
			main.git("sparse-checkout", "disable")
			linked.git("config", "--worktree", "user.email", "linked@example.org")
			main.git("checkout", "-q", "--detach") // so that side can check main out again
			linked.git("checkout", "-q", "main")
			return &linked, linked.config()
		},
		"separate git directory": func(t *testing.T) (*repo, Config) {
			r := newRepo(t, small)
			r.git("init", "-q", "--separate-git-dir", filepath.Join(filepath.Dir(r.dir), "git dir"))
			return r, r.config()
		},
		"odd paths": func(t *testing.T) (*repo, Config) {
			r := newRepo(t, small)
			dir := filepath.Join(filepath.Dir(r.dir), "a \"b\" \\c:d\n日本 ;#e")
			must(t, os.Rename(r.dir, dir))
			r.dir, r.state = dir, filepath.Join(filepath.Dir(dir), "state \"q\" \\:;\n日本")
			c := r.config()
			c.Git = gitcmd.New(dir)
			c.GitDir = filepath.Join(dir, ".git")
			c.CommonDir = c.GitDir
			return r, c
		},
		"submodule with core.worktree": func(t *testing.T) (*repo, Config) {
			inner, outer := newRepo(t, small), newRepo(t, small)
			outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "sub")
			r := &repo{t: t, dir: filepath.Join(outer.dir, "sub"), state: outer.state}
			r.git("config", "user.name", "Ada")
			r.git("config", "user.email", "ada@example.org")
			return r, r.config()
		},
		"shallow": func(t *testing.T) (*repo, Config) {
			from := newRepo(t, small)
			for range 3 {
				from.git("commit", "-q", "--allow-empty", "-m", "more")
			}
			r := &repo{t: t, dir: filepath.Join(filepath.Dir(from.dir), "shallow"), state: from.state}
			from.git("clone", "-q", "--depth", "2", "file://"+from.dir, r.dir)
			r.git("config", "user.name", "Ada")
			r.git("config", "user.email", "ada@example.org")
			return r, r.config()
		},
		"partial clone": func(t *testing.T) (*repo, Config) {
			from := newRepo(t, small)
			from.git("config", "uploadpack.allowFilter", "true")
			from.git("config", "uploadpack.allowAnySHA1InWant", "true")
			r := &repo{t: t, dir: filepath.Join(filepath.Dir(from.dir), "partial"), state: from.state}
			from.git("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+from.dir, r.dir)
			r.git("config", "user.name", "Ada")
			r.git("config", "user.email", "ada@example.org")
			r.git("sparse-checkout", "set", "lib")
			r.git("checkout", "-q", "main")
			if out := r.git("rev-list", "--objects", "--missing=print", "HEAD"); !strings.Contains(out, "?") && r.git("config", "remote.origin.promisor") != "true" {
				t.Fatal("nothing is missing in a partial clone")
			}
			return r, r.config()
		},
		"borrowing itself": func(t *testing.T) (*repo, Config) {
			from := newRepo(t, small)
			r := &repo{t: t, dir: filepath.Join(filepath.Dir(from.dir), "shared"), state: from.state}
			from.git("clone", "-q", "--shared", ".", r.dir)
			r.git("config", "user.name", "Ada")
			r.git("config", "user.email", "ada@example.org")
			return r, r.config()
		},
		"bold configuration": func(t *testing.T) (*repo, Config) {
			r := newRepo(t, small)
			for _, kv := range []string{"core.splitIndex true", "core.untrackedCache true", "feature.manyFiles true", "index.version 4", "core.checkStat minimal",
				"core.trustctime false", "core.safecrlf true", "core.autocrlf input", "commit.gpgSign true", "gpg.program /no/such", "core.quotePath true", "diff.external /no/such",
				"diff.noprefix true", "diff.renames copies", "merge.conflictStyle zdiff3", "merge.renames false", "status.showUntrackedFiles no", "core.logAllRefUpdates false",
				"i18n.commitEncoding ISO-8859-1", "i18n.logOutputEncoding ISO-8859-1", "submodule.recurse true", "transfer.fsckObjects true", "receive.fsckObjects true",
				"log.showSignature true", "color.ui always", "core.abbrev 4", "core.sharedRepository group", "fetch.writeCommitGraph true", "pack.threads 1", "rerere.enabled true",
				"advice.detachedHead false", "user.useConfigOnly true", "extensions.worktreeConfig true", "core.commentChar ;", "commit.cleanup scissors", "diff.ignoreSubmodules none"} {
				key, value, _ := strings.Cut(kv, " ")
				r.git("config", key, value)
			}
			r.git("config", "commit.gpgSign", "false") // landing is the user's own
			r.git("config", "log.showSignature", "false")
			r.git("config", "color.ui", "false")
			return r, r.config()
		},
		"sparse": func(t *testing.T) (*repo, Config) {
			r := newRepo(t, map[string]string{"main.go": "m\n", "lib/b.txt": "b\n", "big/x": "x\n", "big/y": "y\n"})
			r.git("sparse-checkout", "set", "lib")
			return r, r.config()
		},
		"cr-lf": func(t *testing.T) (*repo, Config) {
			r := newRepo(t, small)
			r.git("config", "core.autocrlf", "true")
			return r, r.config()
		},
		"replaced objects": func(t *testing.T) (*repo, Config) {
			r := newRepo(t, small)
			r.git("commit", "-q", "--allow-empty", "-m", "more")
			r.git("replace", "--graft", "HEAD")
			r.git("pack-refs", "--all")
			return r, r.config()
		},
		"many and odd refs": func(t *testing.T) (*repo, Config) {
			r := newRepo(t, small)
			sh(t, r.dir, `for i in 1 2 3 4 5 6 7 8 9; do git branch b/$i; git tag "t-$i"; done; git branch "日本"; git branch -- 'a"b'; git symbolic-ref refs/remotes/o/HEAD refs/heads/main`)
			return r, r.config()
		},
	}
	for name, setup := range setups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, c := setup(t)
			c.State, c.NoSync = r.state, name != "plain"
			pass(t, r, c)
		})
	}
}

func TestBareRepositoryHasWorkersToo(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	bare := filepath.Join(filepath.Dir(r.dir), "bare.git")
	r.git("clone", "-q", "--bare", ".", bare)
	p, err := Open(ctx, Config{Git: gitcmd.New(bare), GitDir: bare, CommonDir: bare, State: r.state, NoSync: true})
	must(t, err)
	defer p.Close()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, "echo x >x; git add x; git commit -q -m x; git status --porcelain; echo y >y")
	if got := finish(t, p, tree); !got.Committed || len(got.Notes) > 0 {
		t.Errorf("%+v", got)
	}
}

func TestSubmodulesKeepTheirRecord(t *testing.T) {
	inner, r := newRepo(t, small), newRepo(t, small)
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "sub")
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "gone")
	r.git("commit", "-q", "-m", "submodules")
	links := r.git("ls-tree", "HEAD", "sub", "gone")
	p, base := r.pool(), r.head()
	tests := map[string]struct {
		script string
		left   string
		links  string
	}{
		"untouched":   {`echo x >x`, "", links},
		"filled":      {`git -c protocol.file.allow=always submodule --quiet update --init sub; echo x >x`, "sub/.git/", links},
		"changed":     {`git -c protocol.file.allow=always submodule --quiet update --init sub; cd sub; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m more`, "sub (submodule)", links},
		"deleted":     {`rmdir gone`, "gone (submodule)", links},
		"removed":     {`git rm -q gone; git commit -q -m gone`, "", r.git("ls-tree", "HEAD", "sub")},
		"now a file":  {`rmdir gone; echo x >gone`, "", r.git("ls-tree", "HEAD", "sub")},
		"files in it": {`echo x >sub/x`, "sub/ (files of a submodule)", links},
	}
	n := 0
	for name, tt := range tests {
		n++
		worker := "coder-" + string(rune('0'+n))
		t.Run(name, func(t *testing.T) {
			tree := add(t, p, worker, base)
			sh(t, tree.Path, tt.script)
			got := finish(t, p, tree)
			if tt.left != "" {
				contains(t, got.LeftOut, tt.left)
			} else if len(got.LeftOut) > 0 {
				t.Errorf("left out: %q", got.LeftOut)
			}
			now := r.git("ls-tree", got.Tip, "sub", "gone")
			var kept []string
			for line := range strings.Lines(now) {
				if strings.HasPrefix(line, "160000") {
					kept = append(kept, strings.TrimSpace(line))
				}
			}
			if got := strings.Join(kept, "\n"); got != tt.links {
				t.Errorf("holds\n%s\nwant\n%s", got, tt.links)
			}
		})
	}
	r.fsck()
}

func TestFiltersAreTheUsersOnly(t *testing.T) {
	r := newRepo(t, map[string]string{".gitattributes": "*.up filter=upper\n*.x filter=broken\n", "a.up": "hello\n", "lib/b.txt": "b\n"})
	r.git("config", "filter.upper.clean", "tr A-Z a-z")
	r.git("config", "filter.upper.smudge", "tr a-z A-Z")
	r.git("config", "filter.broken.clean", "false")
	r.git("config", "filter.broken.required", "true")
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	if out := sh(t, tree.Path, "cat a.up; git status --porcelain"); out != "HELLO" {
		t.Errorf("the tree shows %q", out)
	}
	sh(t, tree.Path, "echo WORLD >>a.up; echo NEW >b.up; echo no >c.x; echo yes >d; echo no >e.x")
	got := finish(t, p, tree)
	if text := r.show(got.Tip, "a.up") + r.show(got.Tip, "b.up"); text != "hello\nworldnew" {
		t.Errorf("stored %q", text)
	}
	contains(t, got.LeftOut, "c.x")
	contains(t, got.LeftOut, "e.x")
	if len(got.LeftOut) != 2 || !strings.Contains(r.names(got.Tip), "|d|") {
		t.Errorf("%+v", got)
	}
}

// A filter that git may not do without, and that is not there, is named; nothing
// is left half made.
func TestRequiredFilterIsMissing(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, map[string]string{".gitattributes": "*.x filter=crypt\n*.y filter=loose\n", "lib/b.txt": "b\n", "a.y": "raw\n"})
	r.git("config", "filter.loose.smudge", "no-such-program smudge")
	r.git("config", "filter.loose.clean", "no-such-program clean")
	p, plain := r.pool(), r.head()
	r.write(map[string]string{"a.x": "secret\n"})
	r.git("add", "a.x")
	r.git("commit", "-q", "-m", "x")
	r.git("config", "filter.crypt.smudge", "no-such-program smudge")
	r.git("config", "filter.crypt.clean", "no-such-program clean")
	r.git("config", "filter.crypt.required", "true")
	for range 2 {
		_, err := p.Add(ctx, Spec{Run: "run", Worker: "coder-1", Base: r.head()})
		if err == nil || !strings.Contains(err.Error(), "filter 'crypt'") && !strings.Contains(err.Error(), "filter crypt") {
			t.Fatalf("made a tree, or does not say why not: %v", err)
		}
	}
	tree := add(t, p, "coder-1", plain)
	if text := readText(t, filepath.Join(tree.Path, "a.y")); text != "raw\n" {
		t.Errorf("behind a filter that may fail is %q", text)
	}
	put(t, tree.Path, map[string]string{"new.x": "no\n", "new.y": "yes\n"})
	got := finish(t, p, tree)
	contains(t, got.LeftOut, "new.x (")
	if len(got.LeftOut) != 1 || r.show(got.Tip, "new.y") != "yes" {
		t.Errorf("%+v", got)
	}
}
