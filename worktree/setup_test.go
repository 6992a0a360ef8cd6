package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// poolWith is a pool whose trees are set up by a command, which adds a line to
// the file $RAN each time.
func (r *repo) poolWith(command string) (p *Pool, ran func() int) {
	r.t.Helper()
	log := filepath.Join(r.t.TempDir(), "ran")
	c := r.config()
	c.Setup = "echo ran >>'" + log + "'; " + command
	p, err := Open(context.Background(), c)
	must(r.t, err)
	r.t.Cleanup(func() { must(r.t, p.Close()) })
	return p, func() int {
		text, _ := os.ReadFile(log)
		return strings.Count(string(text), "\n")
	}
}

func setUpRepo(t *testing.T) *repo {
	return newRepo(t, map[string]string{".gitignore": "node_modules/\n*.log\n.env\n", "lock": "1\n"})
}

// What the setup makes that git ignores is there for one worker after the other;
// what else it or a worker does is not.
func TestSetupRunsOnceInATree(t *testing.T) {
	r := setUpRepo(t)
	p, ran := r.poolWith(`git init -q node_modules/dep; echo m >node_modules/m; echo e >.env; echo 2 >lock; echo u >untracked; git config x.y z`)
	must(t, p.Prepare(context.Background(), r.head(), 1))
	for _, worker := range []string{"coder-1", "coder-2"} {
		tree := add(t, p, worker, r.head())
		if tree.SetupFailed != "" {
			t.Fatal(tree.SetupFailed)
		}
		if out := sh(t, tree.Path, `cat lock node_modules/m .env; ls -A; git status --porcelain; git config x.y || true`); out != "1\nm\ne\n.env\n.git\n.gitignore\nlock\nnode_modules" {
			t.Errorf("%s: the tree holds\n%s", worker, out)
		}
		sh(t, tree.Path, `echo w >w; mkdir __pycache__; echo '__pycache__/' >>.git-exclude; echo c >node_modules/cached; rm .git-exclude`)
		finish(t, p, tree)
		release(t, p, tree)
		if ran() != 1 {
			t.Errorf("after %s the setup ran %d times", worker, ran())
		}
	}
	all, err := p.List(context.Background())
	must(t, err)
	if len(all) != 1 || all[0].State != stateFree {
		t.Errorf("trees: %+v", all)
	}
}

// A worker's ignored files that the setup did not make are still its own.
func TestSetupKeepsNothingOfAWorkers(t *testing.T) {
	r := setUpRepo(t)
	p, _ := r.poolWith(`mkdir node_modules; echo m >node_modules/m`)
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, `echo secret >result.log`)
	finish(t, p, tree)
	release(t, p, tree)
	all, err := p.List(context.Background())
	must(t, err)
	if len(all) != 1 || all[0].State != stateAside || !strings.Contains(all[0].Reason, "result.log") {
		t.Errorf("trees: %+v", all)
	}
}

// Checks run where no worker has been.
func TestSetupBeginsAnewForChecks(t *testing.T) {
	r := setUpRepo(t)
	p, ran := r.poolWith(`mkdir -p node_modules; echo m >node_modules/m`)
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, `echo poison >node_modules/m; echo poison >node_modules/n`)
	finish(t, p, tree)
	release(t, p, tree)
	check, err := p.Checkout(context.Background(), r.head(), ProtectSpec{})
	must(t, err)
	if out := sh(t, check.Path, `ls node_modules; cat node_modules/m`); out != "m\nm" {
		t.Errorf("a check sees\n%s", out)
	}
	if ran() != 2 {
		t.Errorf("the setup ran %d times", ran())
	}
	release(t, p, check)
}

// A setup that fails is told with the tree; the next tree tries again.
func TestSetupThatFails(t *testing.T) {
	r := setUpRepo(t)
	p, ran := r.poolWith(`mkdir node_modules; echo 'no such registry' >&2; exit 7`)
	for n := 1; n < 3; n++ {
		tree := add(t, p, "coder-1", r.head())
		if !strings.Contains(tree.SetupFailed, "exit code 7") || !strings.Contains(tree.SetupFailed, "no such registry") {
			t.Errorf("told %q", tree.SetupFailed)
		}
		if out := sh(t, tree.Path, `ls`); out != "lock" {
			t.Errorf("the tree holds %q", out)
		}
		release(t, p, tree)
		if ran() != n {
			t.Errorf("tree %d: the setup ran %d times", n, ran())
		}
	}
}

func TestSetupThatHangs(t *testing.T) {
	r := setUpRepo(t)
	c := r.config()
	c.Setup, c.SetupTime = "echo begun; exec tail -f /dev/null", 200*time.Millisecond
	p, err := Open(context.Background(), c)
	must(t, err)
	defer p.Close()
	tree := add(t, p, "coder-1", r.head())
	if !strings.Contains(tree.SetupFailed, "200ms") || !strings.Contains(tree.SetupFailed, "begun") {
		t.Errorf("told %q", tree.SetupFailed)
	}
}

// Another command, or none, finds nothing of what an earlier one made.
func TestSetupIsChanged(t *testing.T) {
	r := setUpRepo(t)
	for _, c := range []struct{ command, want string }{
		{`echo 1 >one.log`, "lock one.log"}, {`echo 2 >two.log`, "lock two.log"}, {"", "lock"},
	} {
		config := r.config()
		config.Setup = c.command
		p, err := Open(context.Background(), config)
		must(t, err)
		tree := add(t, p, "coder-1", r.head())
		if out := strings.ReplaceAll(sh(t, tree.Path, `ls`), "\n", " "); out != c.want {
			t.Errorf("after %q: %q", c.command, out)
		}
		release(t, p, tree)
		must(t, p.Close())
	}
}
