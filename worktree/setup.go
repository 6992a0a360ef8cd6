package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-flower/worktree/process"
)

// DefaultSetupTime is how long the setup of a tree may take.
const DefaultSetupTime = 10 * time.Minute

// setupOutput is how much of a failed setup's output is told, in bytes.
const setupOutput = 4000

// A setup is what Config.Setup has done in a slot, and the content of the slot's
// setup file. The zero value has done nothing.
type setup struct {
	Command string   `json:"command"`
	Kept    []string `json:"kept,omitempty"`   // ignored paths it made, folders with a slash
	Failed  string   `json:"failed,omitempty"` // why it did not succeed, with the end of its output
}

func (s *slot) setupFile() string { return filepath.Join(s.dir, "setup") }

// readSetup reads a slot's setup file. One that cannot be read has done nothing.
func (s *slot) readSetup() {
	s.setup = setup{}
	text, err := os.ReadFile(s.setupFile())
	if err != nil || json.Unmarshal(text, &s.setup) != nil {
		s.setup = setup{}
	}
}

func (s *slot) writeSetup(done setup) error {
	text, err := json.Marshal(done)
	if err == nil {
		err = writeFile(s.setupFile(), append(text, '\n'))
	}
	if err == nil {
		s.setup = done
	}
	return err
}

func (s *slot) forgetSetup() error {
	s.setup = setup{}
	return removeIfThere(s.setupFile())
}

// keeps reports whether a path is one the setup made, or below one.
func (u setup) keeps(name string) bool {
	return slices.ContainsFunc(u.Kept, func(kept string) bool {
		return name == kept || strings.HasSuffix(kept, "/") && strings.HasPrefix(name, kept)
	})
}

// skipped are the kept paths as survey wants them.
func (u setup) skipped() []string {
	names := make([]string, len(u.Kept))
	for i, name := range u.Kept {
		names[i] = strings.TrimSuffix(name, "/")
	}
	slices.Sort(names)
	return names
}

// setUp runs the user's command in a tree that is filled, unless it has run there
// before. What it makes that git ignores stays, also when the tree is used again;
// all else is as the commit has it. A command that fails is no error: the tree
// says so. In a throw-away tree it always begins anew, since what workers could
// write must have no part in a check.
func (p *Pool) setUp(ctx context.Context, s *slot, base, tree string, anew bool) error {
	if !anew && s.setup.Command == p.c.Setup {
		return nil
	}
	if len(s.setup.Kept) > 0 || s.setup.Command != "" {
		if err := errors.Join(s.forgetSetup(), p.sweep(ctx, s)); err != nil {
			return err
		}
	}
	if p.c.Setup == "" {
		return nil
	}
	if err := p.makeGitDir(ctx, s, base); err != nil {
		return err
	}
	done := setup{Command: p.c.Setup}
	r, err := process.Run(ctx, process.Command{
		Script: p.c.Setup, Dir: s.tree(), Env: process.Env(), Timeout: p.c.SetupTime, Limit: setupOutput,
		Fence: p.fenced(s, anew),
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		done.Failed = err.Error()
	case r.TimedOut:
		done.Failed = fmt.Sprintf("it was not done after %s:\n%s", p.c.SetupTime, strings.TrimSpace(r.Output))
	case r.ExitCode != 0:
		done.Failed = fmt.Sprintf("exit code %d:\n%s", r.ExitCode, strings.TrimSpace(r.Output))
	}
	return p.settleSetup(ctx, s, tree, done)
}

// settleSetup brings a tree back to its commit, but for what is ignored.
func (p *Pool) settleSetup(ctx context.Context, s *slot, tree string, done setup) error {
	if err := errors.Join(removeAll(filepath.Join(s.tree(), ".git")), p.discard(s.git())); err != nil {
		return err
	}
	if info, err := os.Lstat(s.tree()); err != nil || !info.IsDir() {
		return fmt.Errorf("the setup removed the tree: %w", errors.Join(err, fs.ErrNotExist))
	}
	if err := p.checkOut(ctx, s, tree); err != nil {
		return err
	}
	var err error
	if done.Failed == "" {
		done.Kept, err = p.ignoredIn(ctx, s)
	}
	if err == nil {
		err = s.writeSetup(done)
	}
	if err == nil {
		err = p.sweep(ctx, s)
	}
	if err != nil {
		return err
	}
	return p.nothingBut(ctx, s, s.index())
}

func (p *Pool) ignoredIn(ctx context.Context, s *slot) ([]string, error) {
	out, err := p.trusted(s, s.index()).Read(ctx, "ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory")
	return splitZ(out), err
}

// sweep removes everything from a tree that is neither its commit's nor kept.
func (p *Pool) sweep(ctx context.Context, s *slot) error {
	found, err := survey(s.tree(), s.setup.skipped())
	if err != nil {
		return err
	}
	away := append(found.nested, found.odd...)
	how := "-ffdxq"
	if len(s.setup.Kept) > 0 {
		how = "-ffdq"
		ignored, err := p.ignoredIn(ctx, s)
		if err != nil {
			return err
		}
		away = append(away, slices.DeleteFunc(ignored, s.setup.keeps)...)
	}
	for _, name := range away {
		if err := os.RemoveAll(filepath.Join(s.tree(), filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	_, err = p.trusted(s, s.index()).Write(ctx, "clean", how)
	return err
}

// extra lists what is in a tree and neither in an index nor kept. What is kept
// must be ignored.
func (p *Pool) extra(ctx context.Context, s *slot, index string) ([]string, error) {
	g := p.trusted(s, index)
	out, err := g.Read(ctx, "ls-files", "-z", "-o")
	extra := splitZ(out)
	if err != nil || len(s.setup.Kept) == 0 {
		return extra, err
	}
	visible, err := g.Read(ctx, listOthers...)
	return append(slices.DeleteFunc(extra, s.setup.keeps), splitZ(visible)...), err
}
