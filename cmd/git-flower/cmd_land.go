package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
	"git-flower/worktree"
	"git-flower/worktree/fence"
)

func landCommand() *command {
	return &command{
		name: "land", group: everyday, personal: true, summary: "merge a run's result into the checked-out branch",
		synopsis: []string{"[--squash | --no-ff] [--rehearsed] [<run>]"},
		prose: `
Merges what the workers of a run made into the branch that is checked out: a
fast-forward if possible, else a merge commit with the goal as its message. Shows
first what changes. Your hooks run as for your own merge.

Nothing happens when the checkout has uncommitted changes, when files would be
overwritten, or when the two do not merge by themselves. Changes that the run
began with (--with-changes) are no obstacle as long as they are as they were:
the result takes their place, and refs/flower/base/<run> keeps them. Neither is
a checkout that holds the result itself (--no-isolate): its files stay, and the
branch moves. Conflicts:

    git merge flower/join/<run>

lets you settle them. A result that a scripted model made is landed with
--rehearsed only.`,
		options: []option{
			{long: "squash", text: "make one commit with one parent of all changes"},
			{long: "no-ff", text: "make a merge commit even where it could fast-forward"},
			rehearsedOption(),
		},
		exits: exits(1, 2),
		args:  1,
		run:   runLand,
	}
}

// landOptions say how a result is landed.
type landOptions struct {
	squash, noFF bool
	rehearsed    bool   // a rehearsed run may be landed
	branch       string // the one that may be landed on; empty is any
	shown        bool   // what changes has been shown
}

func runLand(ctx context.Context, env *Env, c *call) error {
	o := landOptions{squash: c.is("squash"), noFF: c.is("no-ff"), rehearsed: c.is("rehearsed")}
	if o.squash && o.noFF {
		return c.usagef("--squash and --no-ff exclude each other")
	}
	store, run, err := env.choose(ctx, c.arg(0), func(s gitstate.Summary) bool { return colourOf(stateOf(s)) == good })
	if err != nil {
		return err
	}
	return land(ctx, env, store, run, o)
}

// land merges the result of a run into the checked-out branch.
func land(ctx context.Context, env *Env, store *gitstate.Store, run *gitstate.Run, o landOptions) error {
	name, h := run.Name(), run.History()
	if isRehearsed(run) && !o.rehearsed {
		return endf(endFatal, fmt.Sprintf(`"git flower land --rehearsed %s" lands it all the same`, name),
			"run '%s' is a rehearsal: a scripted model made its result", name)
	}
	join, made, err := store.Ref(ctx, joinRef(name))
	if err != nil {
		return err
	}
	if !made {
		return endf(endNo, fmt.Sprintf(`"git flower resume %s" goes on with it`, name), "run '%s' has no result yet", name)
	}
	pool, err := openPool(ctx, env, store, 0, "", fence.Policy{})
	if err != nil {
		return err
	}
	var stat string
	if !o.shown {
		stat, err = pool.Diffstat(ctx, string(h.Base), string(join))
	}
	if err == nil && stat != "" {
		err = write(env.Out, strings.TrimRight(sanitise(stat), "\n")+"\n")
	}
	if err == nil {
		warnUnreached(env, run)
		err = landJoin(ctx, env, pool, run, worktree.LandSpec{Join: string(join), Base: string(h.Base), Message: landMessage(h), Branch: o.branch, Squash: o.squash, NoFF: o.noFF})
	}
	return errors.Join(err, pool.Close())
}

func warnUnreached(env *Env, run *gitstate.Run) {
	last, ok := run.History().Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindEnd })
	if !ok || colourOf(last.Meta.State) != good {
		say(env.Err, "warning", fmt.Sprintf("run '%s' has not reached its goal", run.Name()))
	}
}

func landJoin(ctx context.Context, env *Env, pool *worktree.Pool, run *gitstate.Run, spec worktree.LandSpec) error {
	r, err := pool.Land(ctx, spec)
	if err != nil {
		how, hint := landEnding(err, run.Name())
		return end(how, err, hint)
	}
	branch := branchName(r.Branch)
	text := fmt.Sprintf("'%s' is at %s now (it was at %s)\n", branch, short(r.After), short(r.Before))
	if r.After == r.Before {
		text = fmt.Sprintf("'%s' holds the result of run '%s' already\n", branch, run.Name())
	}
	if r.Held {
		text += fmt.Sprintf("the checkout held it already; %s as they were, and nothing is staged\n", plural(len(r.Replaced), "file"))
	} else if n := len(r.Replaced); n > 0 {
		text += fmt.Sprintf("your uncommitted changes of %s are part of it; refs/flower/base/%s keeps them as they were, and nothing is staged\n", plural(n, "file"), run.Name())
	}
	return write(env.Out, text)
}

func branchName(ref string) string { return oneLine(strings.TrimPrefix(ref, "refs/heads/")) }

// landEnding says what to do about an obstacle. A conflict needs a person's
// decisions; the rest is in the way of the command.
func landEnding(err error, run string) (ending, string) {
	var dirty *worktree.DirtyError
	var busy *worktree.InProgressError
	var staged *worktree.StagedError
	var cut *worktree.InterruptedError
	var files *worktree.OverwriteError
	var conflict *worktree.ConflictError
	var taken *worktree.TakenError
	var other *worktree.BranchError
	switch {
	case errors.As(err, &other):
		return endPerson, fmt.Sprintf(`"git switch %s", or stay where you are, then "git flower land %s"`, branchName(other.Want), run)
	case errors.As(err, &taken):
		return endFatal, `"git flower status" shows the run; land when it has ended`
	case errors.As(err, &conflict):
		return endPerson, fmt.Sprintf(`settle them with "git merge flower/join/%[1]s", or change your branch and then "git flower land %[1]s"`, run)
	case errors.As(err, &staged):
		return endFatal, fmt.Sprintf(`"git add" the files, or "git restore --staged" them, then "git flower land %s"`, run)
	case errors.As(err, &cut):
		return endFatal, fmt.Sprintf(`the file 'note' there names them; take back what you want, remove the folder, then "git flower land %s"`, run)
	case errors.As(err, &dirty) && dirty.Besides:
		return endFatal, fmt.Sprintf(`"git diff refs/flower/base/%[1]s" shows what is other than the run began with; commit it or put it aside with "git stash", then "git flower land %[1]s"`, run)
	case errors.As(err, &dirty):
		return endFatal, fmt.Sprintf(`commit the changes or put them aside with "git stash", then "git flower land %s"`, run)
	case errors.As(err, &busy):
		return endFatal, fmt.Sprintf(`finish or abort it ("git status" tells how), then "git flower land %s"`, run)
	case errors.As(err, &files):
		return endFatal, fmt.Sprintf(`move them away, then "git flower land %s"`, run)
	case errors.Is(err, worktree.ErrDetached):
		return endFatal, fmt.Sprintf(`check out a branch with "git switch", then "git flower land %s"`, run)
	case errors.Is(err, worktree.ErrUnborn):
		return endFatal, fmt.Sprintf(`make a first commit, then "git flower land %s"`, run)
	case errors.Is(err, worktree.ErrBare):
		return endFatal, fmt.Sprintf("land in a clone with a checkout; the result is refs/flower/join/%s", run)
	}
	return endFatal, "the branch and the checkout are as they were"
}

// landMessage is the goal, else the request, as a commit message with the run's
// id, so that a squashed commit still tells where it comes from.
func landMessage(h gitstate.History) string {
	var text string
	if d, ok := h.Current(gitstate.KindRequest); ok {
		text = d.Body
	}
	if d, ok := h.Current(gitstate.KindGoal); ok {
		if goal := document.ParseGoal(d.Body); goal.Statement != "" {
			text = goal.Statement
		}
	}
	text = strings.TrimSpace(sanitise(text))
	subject := cut(firstLine(text), 72)
	if subject != text {
		subject += "\n\n" + text
	}
	return subject + "\n\nFlower-Run: " + h.ID + "\n"
}

// openPool opens the workers' trees of the repository. The limit is the greatest
// size of a new file that is kept; zero is the usual one. The setup is the command
// that prepares new trees.
func openPool(ctx context.Context, env *Env, store *gitstate.Store, limit int64, setup string, f fence.Policy) (*worktree.Pool, error) {
	l := store.Layout()
	return worktree.Open(ctx, worktree.Config{
		Git: store.Git(), GitDir: l.GitDir, CommonDir: l.CommonDir, State: l.State, Now: env.Now, Limit: limit, Setup: setup, Fence: f,
	})
}

// landOption is the option that landing a result needs, with a blank before it.
func landOption(rehearsed bool) string {
	if rehearsed {
		return " --rehearsed"
	}
	return ""
}

// isRehearsed reports whether a scripted model made the run.
func isRehearsed(run *gitstate.Run) bool {
	request, ok := run.History().Current(gitstate.KindRequest)
	return ok && request.Meta.Rehearsed
}
