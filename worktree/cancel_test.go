package worktree

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Whenever the context ends, the call says so and nothing is half done: the
// next call does it all.
func TestCancelledAtAnyTime(t *testing.T) {
	calls := map[string]func(context.Context, *Pool, *Tree) error{
		"finish": func(ctx context.Context, p *Pool, tree *Tree) error {
			_, err := p.Finish(ctx, tree, CommitMessage{Subject: "x"})
			return err
		},
		"snapshot": func(ctx context.Context, p *Pool, tree *Tree) error {
			_, err := p.Snapshot(ctx, tree, "")
			return err
		},
		"digest": func(ctx context.Context, p *Pool, tree *Tree) error {
			_, err := p.TreeDigest(ctx, tree)
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, small)
			p := r.pool()
			tree := add(t, p, "coder-1", r.head())
			sh(t, tree.Path, "git checkout -q -b other; echo x >x; git add x; git commit -q -m x; echo y >y; rm lib/b.txt")
			cancelled := 0
			for after := time.Duration(0); ; after += later(after) {
				ctx, cancel := context.WithTimeout(context.Background(), after)
				err := call(ctx, p, tree)
				cancel()
				if err == nil {
					break
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("after %v: %v", after, err)
				}
				cancelled++
			}
			if cancelled == 0 {
				t.Error("never cancelled")
			}
			got := finish(t, p, tree)
			if names := r.names(got.Tip); names != ".gitignore|lib/a.txt|main.go|x|y|" {
				t.Errorf("holds %q", names)
			}
			r.fsck()
		})
	}
}

func TestCancelledReleaseIsMadeGood(t *testing.T) {
	r := newRepo(t, small)
	for after := time.Duration(0); after < 40*time.Millisecond; after += 4 * time.Millisecond {
		p := r.pool()
		tree := add(t, p, "coder-1", r.head())
		sh(t, tree.Path, "echo x >x")
		finish(t, p, tree)
		ctx, cancel := context.WithTimeout(context.Background(), after)
		err := p.Release(ctx, tree)
		cancel()
		again := r.pool()
		if err != nil {
			if reopened, err := again.Reopen(context.Background(), Spec{Run: "run", Worker: "coder-1"}); err == nil {
				release(t, again, reopened)
			}
		}
		if got := states(t, again); got != stateFree {
			t.Fatalf("after %v, %v: states %q", after, err, got)
		}
	}
}

// later is how much later the next attempt is cancelled: each millisecond in a
// long test, else in steps that grow with the time, since it takes as long.
func later(after time.Duration) time.Duration {
	if long() {
		return time.Millisecond
	}
	return max(time.Millisecond, after/8)
}
