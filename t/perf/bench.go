package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A bench is the scratch folder in which everything is measured.
type bench struct {
	dir    string
	flower string // the binary of the product
	self   string // this program, for figures that need a process of their own
	claude string // the Claude Code CLI, empty when there is none
	factor int    // how many times the usual rounds
}

// newBench builds the product as 'go install' would, or takes the one that
// TEST_FLOWER_BIN names a folder of, and then forgets the caller's git, home
// and keys.
func newBench(ctx context.Context) (*bench, error) {
	dir, err := os.MkdirTemp("", "flower-perf-")
	if err != nil {
		return nil, err
	}
	b := &bench{factor: 1}
	if b.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	if err := b.furnish(ctx); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *bench) furnish(ctx context.Context) error {
	var err error
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	b.flower = filepath.Join(os.Getenv("TEST_FLOWER_BIN"), "git-flower")
	if os.Getenv("TEST_FLOWER_BIN") == "" {
		b.flower = filepath.Join(b.dir, "git-flower")
		if _, err := (program{name: "go"}).read(ctx, "", "build", "-o", b.flower, module+"/cmd/git-flower"); err != nil {
			return fmt.Errorf("build the product (run this in its checkout): %w", err)
		}
	}
	b.claude = findCLI()
	return scrub(filepath.Join(b.dir, "home"))
}

// findCLI is the path of the Claude Code CLI, empty when there is none.
func findCLI() string {
	path := os.Getenv("GIT_FLOWER_TEST_CLAUDE")
	if path == "" {
		path, _ = exec.LookPath("claude")
	}
	return path
}

const module = "git-flower"

// scrub gives this process, and so all that it starts, an environment in which
// no setting of the caller's counts.
func scrub(home string) error {
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	kept := map[string]string{}
	for _, name := range []string{"PATH", "TMPDIR", "SYSTEMROOT", "GIT_FLOWER_TEST_CLAUDE"} {
		kept[name] = os.Getenv(name)
	}
	os.Clearenv()
	for name, value := range kept {
		if value == "" {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	for _, entry := range []string{"HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC", "TERM=dumb",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com"} {
		name, value, _ := strings.Cut(entry, "=")
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) close() error { return os.RemoveAll(b.dir) }

// rounds is how many pairs to measure.
func (b *bench) rounds(usual int) int { return usual * b.factor }

// folder makes an empty folder of that name in the scratch.
func (b *bench) folder(name string) (string, error) {
	dir := filepath.Join(b.dir, name)
	return dir, os.MkdirAll(dir, 0o755)
}

// repository makes a repository with one commit.
func (b *bench) repository(ctx context.Context, name string) (string, error) {
	dir, err := b.folder(name)
	if err != nil {
		return "", err
	}
	git := program{name: "git", dir: dir}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"commit", "-q", "--allow-empty", "-m", "base"}} {
		if _, err := git.read(ctx, "", args...); err != nil {
			return "", err
		}
	}
	return dir, nil
}
