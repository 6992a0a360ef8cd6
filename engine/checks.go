package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
	"git-flower/worktree"
	"git-flower/worktree/process"
)

// checked is a command check that was run.
type checked struct {
	index  int // of the check in the goal
	check  document.Check
	result process.Result
	// missing is the program that is not on this machine: the check could not start.
	missing string
}

func (c checked) passed() bool {
	return c.missing == "" && c.result.ExitCode == 0 && !c.result.TimedOut
}

// runChecks runs the goal's commands one after the other in a tree.
func (e *Engine) runChecks(ctx context.Context, g document.Goal, t *worktree.Tree, step string) ([]checked, error) {
	var all []checked
	for i, check := range g.Checks {
		if check.Command == "" || check.Unverifiable != "" {
			continue
		}
		quiet := e.waiting(ctx, Event{Step: step, Role: "check", Text: check.Command}, e.c.CheckTimeout)
		r, err := e.deps.Commands.Run(ctx, process.Command{
			Script: check.Command, Dir: t.Path, Env: e.c.Env, Timeout: e.c.CheckTimeout, Fence: t.Fence,
		})
		quiet()
		if err != nil {
			return nil, fmt.Errorf("run check %d '%s': %w", i+1, check.Command, err)
		}
		c := checked{index: i, check: check, result: r}
		if r.ExitCode == 127 {
			c.missing = e.missingProgram(ctx, check.Command, t)
		}
		e.emit(Event{Kind: EventCheck, Step: step, Text: check.Command, State: c.word()})
		all = append(all, c)
	}
	return all, nil
}

// accept makes sure that a recorded goal's commands may run here. Where they may
// not, it is a save point: nothing of the goal has run.
func (e *Engine) accept(ctx context.Context, step string, goal gitstate.Doc) error {
	if e.deps.Trust == nil {
		return nil
	}
	err := e.deps.Trust.Accept(ctx, goal)
	if errors.Is(err, ErrForeign) {
		return &Pause{Reason: PauseForeign, Step: step, Err: err}
	}
	return err
}

var bareWord = regexp.MustCompile(`^[A-Za-z0-9._+-]+$`)

// missingProgram names the program that a command begins with, if it is a bare
// name that this machine does not have. A path that is not there yet is work to
// be done, not a check that cannot start.
func (e *Engine) missingProgram(ctx context.Context, command string, t *worktree.Tree) string {
	word, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	if !bareWord.MatchString(word) {
		return ""
	}
	r, err := e.deps.Commands.Run(ctx, process.Command{Script: "command -v " + word, Dir: t.Path, Env: e.c.Env, Timeout: e.c.CheckTimeout, Fence: t.Fence})
	if err != nil || r.ExitCode == 0 {
		return ""
	}
	return word
}

func cannotStart(all []checked) []checked {
	var stuck []checked
	for _, c := range all {
		if c.missing != "" {
			stuck = append(stuck, c)
		}
	}
	return stuck
}

func (c checked) word() string {
	switch {
	case c.missing != "":
		return "cannot start"
	case c.result.TimedOut:
		return "timed out"
	case c.result.ExitCode != 0:
		return fmt.Sprintf("failed (exit %d)", c.result.ExitCode)
	}
	return "passed"
}

// results prints checks for a judge: numbered as in the goal, the end of the
// output with those that failed.
func results(all []checked) string {
	if len(all) == 0 {
		return "No check has a command.\n"
	}
	var b strings.Builder
	for _, c := range all {
		fmt.Fprintf(&b, "%d. %s: `%s`\n", c.index+1, c.word(), c.check.Command)
		if c.missing != "" {
			fmt.Fprintf(&b, "   %s is not on this machine\n", c.missing)
		} else if !c.passed() {
			for _, l := range lastLines(c.result.Output, 20) {
				fmt.Fprintf(&b, "   > %s\n", l)
			}
		}
	}
	return b.String()
}

// lastLines are the last n lines of an output, each cut to a screen's width.
func lastLines(out string, n int) []string {
	lines := strings.Split(strings.TrimRight(document.Clean(out), "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	for i, l := range lines {
		lines[i] = head(strings.TrimRight(l, " \t"), 200)
	}
	return lines
}
