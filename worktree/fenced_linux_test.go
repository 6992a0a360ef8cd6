package worktree

import (
	"context"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-flower/worktree/fence"
	"git-flower/worktree/process"
)

// fencedPool is a pool whose trees are fenced by means of a kind.
func fencedPool(t *testing.T, r *repo, m fence.Means) *Pool {
	t.Helper()
	c := r.config()
	c.Fence = fence.ForUser(m, os.LookupEnv)
	c.Fence.Hide = append(c.Fence.Hide, r.dir)
	p, err := Open(context.Background(), c)
	must(t, err)
	t.Cleanup(func() { p.Close() })
	return p
}

func ways(t *testing.T) map[string]fence.Means {
	t.Helper()
	all := fence.Probe(t.Context())
	if !all.Any() {
		t.Skip("nothing holds here")
	}
	ways := map[string]fence.Means{"all": all}
	if all.Full() {
		ways["Landlock"] = fence.Means{Landlock: all.Landlock}
	}
	return ways
}

// within runs a script as a worker's command.
func within(t *testing.T, tree *Tree, f *fence.Policy, script string) (string, bool) {
	t.Helper()
	r, err := process.Run(t.Context(), process.Command{Script: "set -e\n" + script, Dir: tree.Path, Env: process.Env(toolHomes()...), Fence: f, Timeout: 4 * time.Minute})
	must(t, err)
	return r.Output, r.ExitCode == 0
}

// toolHomes says where tools are that a person has in a home directory of their own.
func toolHomes() []string {
	who, err := user.Current()
	if err != nil {
		return nil
	}
	dir := filepath.Join(who.HomeDir, ".rustup")
	if _, err := os.Stat(dir); err != nil || os.Getenv("RUSTUP_HOME") != "" {
		return nil
	}
	return []string{"RUSTUP_HOME=" + dir}
}

// What workers do every day works out of the box.
func TestToolsBehindTheFence(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and nothing in it runs side by side")
	}
	r := newRepo(t, map[string]string{
		"a": "a\n", "Makefile": "all:\n\techo made >made\n",
		"go.mod": "module example.org/m\n\ngo 1.21\n", "m.go": "package m\n\nfunc One() int { return 1 }\n",
		"m_test.go":  "package m\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fail()\n\t}\n}\n",
		"test_a.py":  "def test_a(tmp_path):\n    (tmp_path / 'x').write_text('x')\n",
		"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": "pub fn one() -> i32 { 1 }\n#[test]\nfn t() { assert_eq!(one(), 1) }\n",
		"package.json":     `{"name":"m","version":"1.0.0","dependencies":{"dep":"file:./dep"},"scripts":{"build":"node -e \"require('fs').writeFileSync('built','x')\""}}`,
		"dep/package.json": `{"name":"dep","version":"1.0.0","bin":"b.js"}`, "dep/b.js": "#!/usr/bin/env node\n",
	})
	r.git("branch", "side", "HEAD")
	scripts := []struct{ name, needs, script string }{
		{"commit and amend", "git", `echo x >x; git add x; git commit -q -m x; git commit -q --amend -m y; test "$(git log -1 --format=%s)" = y`},
		{"rebase", "git", `git checkout -q -b topic; echo y >y; git add y; git commit -q -m y; git checkout -q -b onto HEAD~1; echo z >z; git add z; git commit -q -m z; git rebase -q onto topic 2>&1; git checkout -q --detach`},
		{"conflict", "git", `git checkout -q -b l; echo l >a; git commit -q -a -m l; git checkout -q -b r HEAD~1; echo r >a; git commit -q -a -m r; ! git merge -q l; echo both >a; git commit -q -a -m merged; git checkout -q --detach`},
		{"stash and tag", "git", `echo more >>a; git stash -q; git stash pop -q; git checkout -q a; git tag t; git tag -a -m u u; git branch b; git branch -D b`},
		{"worktree", "git", `git worktree add -q "$TMPDIR/wt" HEAD; test -s "$TMPDIR/wt/a"; git worktree remove "$TMPDIR/wt"`},
		{"gc", "git", `git gc -q; git repack -a -d -q; git fsck`},
		{"temporary files", "mktemp", `f=$(mktemp); echo x >"$f"; case $f in "$TMPDIR"/*) ;; *) exit 1;; esac`},
		{"devices and pipes", "sh", `echo x >/dev/null; head -c 3 /dev/urandom | wc -c; exec 3<>/dev/null; mkfifo p; (echo y >p &); read l <p; test "$l" = y; rm p`},
		{"loopback", "python3", `python3 - <<'END'
import socket, threading
s = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=lambda: s.accept()[0].send(b"x")).start()
assert socket.create_connection(s.getsockname()).recv(1) == b"x"
u = socket.socket(socket.AF_UNIX); u.bind("sock"); u.listen()
c = socket.socket(socket.AF_UNIX); c.connect("sock")
END
rm sock`},
		{"make", "make", `make; test -s made; rm made`},
		{"go build", "go", `go build ./... && go vet m.go`},
		{"go test", "go", `test -z "$TEST_LONG" || { go vet ./... && go test ./...; }`}, // with its tests, the standard library is built anew
		{"npm install and run", "npm", `npm install --no-audit --no-fund && test -e node_modules/.bin/dep && npm run build && rm built`},
		{"cargo build and test", "cargo", `cargo build --offline && cargo test --offline`},
		{"pytest", "pytest", `pytest -q test_a.py`},
		{"python and venv", "python3", `python3 -m venv --without-pip v && v/bin/python -c 'import multiprocessing.pool' && rm -r v`},
		{"cc", "cc", `echo 'int main(void) { return 0; }' >c.c; cc -o c c.c; ./c; rm c c.c`},
	}
	for name, m := range ways(t) {
		t.Run(name, func(t *testing.T) {
			p := fencedPool(t, r, m)
			tree := add(t, p, "coder-"+name, r.head())
			for _, s := range scripts {
				t.Run(s.name, func(t *testing.T) {
					if _, err := exec.LookPath(s.needs); err != nil {
						t.Skip("needs ", s.needs)
					}
					if out, ok := within(t, tree, nil, s.needs+" --version >/dev/null 2>&1 || "+s.needs+" version >/dev/null 2>&1 || command -v "+s.needs); !ok {
						t.Skip("does not work here at all: ", out)
					}
					if out, ok := within(t, tree, tree.Fence, s.script); !ok {
						t.Error(out)
					}
				})
			}
		})
	}
}

// A judge may build but changes nothing; what workers can write has no part in checks.
func TestLookingChangesNothing(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "a\n", "go.mod": "module example.org/m\n\ngo 1.21\n", "m.go": "package m\n"})
	for name, m := range ways(t) {
		p := fencedPool(t, r, m)
		scene, err := p.Checkout(t.Context(), r.head(), ProtectSpec{})
		must(t, err)
		before, err := p.TreeDigest(t.Context(), scene)
		must(t, err)
		out, ok := within(t, scene, scene.Looking(), `git status --short; git log --oneline; cat a; echo x >"$TMPDIR/x"; ! echo x >a; ! touch b; ! git commit -q --allow-empty -m x; ! git tag t; if command -v go >/dev/null; then go vet ./...; fi`)
		after, err := p.TreeDigest(t.Context(), scene)
		must(t, err)
		if !ok || before != after {
			t.Errorf("%s: %v: %s", name, before == after, out)
		}
		if out, ok := within(t, scene, scene.Fence, `echo x >a; touch b; echo x >"$GOMODCACHE"x 2>/dev/null || :; mkdir -p "$GOCACHE"; echo planted >"$GOCACHE/x"`); !ok {
			t.Errorf("%s: a check cannot write: %s", name, out)
		}
		worker := add(t, p, "coder-"+name, r.head())
		out, ok = within(t, worker, worker.Fence, `mkdir -p "$GOCACHE"; echo planted >"$GOCACHE/by-worker"; ! ls `+shellWord(scene.Path)+` || ! echo x >`+shellWord(scene.Path)+`/a`)
		if !ok {
			t.Errorf("%s: %s", name, out)
		}
		must(t, p.Release(t.Context(), scene))
		again, err := p.Checkout(t.Context(), r.head(), ProtectSpec{})
		must(t, err)
		if out, ok := within(t, again, again.Fence, `! ls "$GOCACHE"; ! test -e "$TMPDIR/x"`); !ok {
			t.Errorf("%s: a throw-away tree comes with another's files: %s", name, out)
		}
		must(t, p.Release(t.Context(), again))
	}
}

func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// A worker cannot reach other workers' trees, the user's repository or the pool's
// own files; with namespaces it does not see them.
func TestWorkersStayApart(t *testing.T) {
	r := newRepo(t, small)
	for name, m := range ways(t) {
		p := fencedPool(t, r, m)
		one, two := add(t, p, "one-"+name, r.head()), add(t, p, "two-"+name, r.head())
		for _, path := range []string{
			two.Path + "/any", two.GitDir + "/HEAD", r.dir + "/a", r.dir + "/.git/HEAD", r.dir + "/.git/refs/heads/x", r.dir + "/.git/hooks/post-checkout",
			filepath.Dir(one.Path) + "/owner", filepath.Dir(one.Path) + "/index", filepath.Dir(one.Path) + "/lock", r.state + "/x", r.dir + "/.git/objects/x", r.dir + "/.git/config",
		} {
			before, _ := os.ReadFile(path)
			if out, ok := within(t, one, one.Fence, `! echo x >>`+shellWord(path)); !ok {
				t.Errorf("%s: writes to %s: %s", name, path, out)
			}
			if after, _ := os.ReadFile(path); string(before) != string(after) {
				t.Errorf("%s: %s was changed", name, path)
			}
		}
		if !m.Namespaces {
			continue
		}
		for _, path := range []string{two.Path, r.dir + "/a", r.dir + "/.git/refs", r.dir + "/.git/flower", filepath.Dir(one.Path) + "/owner"} {
			if out, ok := within(t, one, one.Fence, `! test -e `+shellWord(path)); !ok {
				t.Errorf("%s: sees %s: %s", name, path, out)
			}
		}
	}
}
