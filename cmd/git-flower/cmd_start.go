package main

import (
	"context"
	"errors"
	"fmt"

	"git-flower/gitstate"
	"git-flower/worktree"
)

func startCommand() *command {
	return &command{
		name: "start", group: everyday, personal: true, args: -1,
		summary:  "begin a run",
		synopsis: []string{"[<options>] [--] <request>...", "[<options>] -F <file>", "[<options>] -"},
		prose: `Begins a new run: the request is clarified and frozen as a brief, a judge sets
a goal and its checks, workers do the work in trees of their own, and the judge
looks at every round. The checkout, its branch and its index are not touched.
Uncommitted changes are not included, unless --with-changes is given: then a
commit of ours that holds them is what the run starts from. With --no-isolate
workers edit the checkout itself, one at a time, uncommitted changes included;
its branch and its index are still not touched.

Without words the request is read from standard input, or written in git's
editor on a terminal; an empty one begins nothing. Where a run is unfinished it
says so first and, on a terminal, asks whether to go on with that one instead:
an empty line begins nothing, --new asks nothing.

With --land a reached goal is merged into the branch that was checked out when
the run began, and into no other. Where that cannot be, the result stays where it
is and the exit code is 2. A rehearsal is never landed by --land.

--rehearse plays a scripted model, which needs no key and costs nothing;
everything else is real.`,
		options: append([]option{
			{long: "file", short: "F", value: "<file>", text: "read the request from <file> ('-' for standard input)"},
			{long: "name", value: "<name>", text: "name the run; else a name is made from the request"},
			{long: "new", text: "begin without mentioning an unfinished run"},
		}, append(settingOptions("with-changes", "isolate", "plugin"), runOptions()...)...),
		exits: exits(1, 2, 3, 75),
		run:   runStart,
	}
}

func runStart(ctx context.Context, env *Env, c *call) error {
	config, err := env.Config(ctx, c)
	if err != nil {
		return err
	}
	if err := config.checkDetach(); err != nil {
		return err
	}
	request, err := env.givenRequest(ctx, c)
	if err != nil {
		return err
	}
	store, err := env.StoreFor(ctx, config)
	if err != nil {
		return err
	}
	w := &wake{env: env, config: config, store: store, json: c.is("json")}
	if old, err := w.unfinished(ctx, c, request); err != nil || old != "" {
		return w.resumeInstead(ctx, c, old, request, err)
	}
	script, err := scriptOf(env, c)
	if err != nil {
		return err
	}
	if w.source, err = env.source(ctx, config, script); err != nil {
		return err
	}
	if err := w.canBegin(ctx); err != nil {
		return err
	}
	if request == "" { // last, so that nobody writes in vain
		if request, err = env.editRequest(ctx); err != nil {
			return err
		}
	}
	return w.begin(ctx, c, request, script)
}

// canBegin makes sure that git and the repository can carry a run.
func (w *wake) canBegin(ctx context.Context) error {
	if _, err := w.store.Git().CheckVersion(ctx); err != nil {
		return err
	}
	return w.needHead(ctx)
}

// begin makes the run's first record and drives it.
func (w *wake) begin(ctx context.Context, c *call, request string, script []byte) error {
	name, err := w.name(ctx, c, request)
	if err != nil {
		return err
	}
	if err = w.store.Settle(); err != nil {
		return err
	}
	// Where no trees can be made there is no run either.
	if err = w.putUpFence(ctx); err != nil {
		return err
	}
	if w.pool, err = openPool(ctx, w.env, w.store, w.config.SnapshotLimit, w.config.Setup, w.treeFence()); err != nil {
		return err
	}
	if err = w.takeCheckout(ctx); err == nil {
		var base gitstate.ObjectID
		if base, err = w.base(ctx); err == nil {
			err = w.create(ctx, c, name, base, request, script)
		}
	}
	return errors.Join(err, w.leaveCheckout(), w.pool.Close())
}

// create makes the first record and what a resume needs besides, and goes on.
func (w *wake) create(ctx context.Context, c *call, name string, base gitstate.ObjectID, request string, script []byte) (err error) {
	pack, err := w.choosePack(ctx, base)
	if err != nil {
		return err
	}
	w.run, err = w.store.Create(ctx, name, gitstate.Record{
		Kind: gitstate.KindRequest, Subject: cut(firstLine(request), 60), Body: request,
		Meta: gitstate.Meta{Code: base, Rehearsed: script != nil, Options: append(c.recorded(w.config), packOption(pack)...)},
	}, base)
	if err != nil {
		return err
	}
	dir := w.store.Layout().RunDir(w.run.Name())
	if script != nil {
		if err := keepScript(dir, script); err != nil {
			return err
		}
	}
	if err := keepOptions(dir, c); err != nil {
		return err
	}
	if err := w.keepBranch(ctx); err != nil {
		return err
	}
	if err := w.beginInPlace(ctx); err != nil {
		return err
	}
	if w.config.Detach {
		return w.goOnDetached(ctx, c)
	}
	return w.goOnInTrees(ctx)
}

// name is the one that was asked for, which must be free, or one made from the
// request, to which Create adds a number where it is taken.
func (w *wake) name(ctx context.Context, c *call, request string) (string, error) {
	name := c.text("name")
	if !c.given("name") {
		return gitstate.Slug(request, w.env.Now()), nil
	}
	if err := gitstate.ValidName(name); err != nil {
		return "", c.usagef("%w", err)
	}
	_, taken, err := w.store.Ref(ctx, "refs/flower/run/"+name)
	if taken {
		err = endf(endFatal, fmt.Sprintf("\"git flower resume %s\" goes on with it; another --name begins another", name), "run '%s' exists", name)
	}
	return name, err
}

// needHead makes sure that there is a commit to start from.
func (w *wake) needHead(ctx context.Context) error {
	_, err := w.store.Resolve(ctx, "HEAD")
	if errors.Is(err, gitstate.ErrNotFound) {
		return endf(endFatal, "make a first commit, for example: git commit --allow-empty -m 'first'", "there is no commit yet to start from")
	}
	return err
}

// base is the commit a run starts from: HEAD, or one that holds the uncommitted
// changes as well.
func (w *wake) base(ctx context.Context) (gitstate.ObjectID, error) {
	if !w.config.WithChanges && w.config.Isolate {
		return w.store.Resolve(ctx, "HEAD")
	}
	var err error
	w.changes, err = w.pool.KeepChanges(ctx)
	return gitstate.ObjectID(w.changes.Commit), checkoutEnding(err, "without --with-changes (flower.withChanges)")
}

// checkoutEnding says what to do when a checkout is in no state to begin from.
func checkoutEnding(err error, how string) error {
	var busy *worktree.InProgressError
	var conflict *worktree.ConflictError
	switch {
	case errors.As(err, &busy), errors.As(err, &conflict):
		return end(endFatal, err, `finish or abort it ("git status" tells how), or start `+how)
	case errors.Is(err, worktree.ErrBare):
		return end(endFatal, err, "start "+how)
	}
	return err
}

// presence: at a terminal there is somebody. Without one there is when --timeout
// says how long to wait, which makes no sense for a run that nobody watches, and
// for a run in the background, whose person went on with something else.
func (e *Env) presence(c Config, json bool) presence {
	switch {
	case c.Timeout == 0:
		return nobody
	case e.InTerminal && !json:
		return here
	case c.Waits || c.Detach || e.telling != nil:
		return elsewhere
	}
	return nobody
}

// source is where the model of a run comes from: the script of a rehearsal, or
// an endpoint for which there are credentials.
func (e *Env) source(ctx context.Context, c Config, script []byte) (modelSource, error) {
	choice, err := chooseHarness(c.Harness, script != nil, e.findCLI(ctx, c))
	if err != nil {
		return nil, err
	}
	if !c.Handoff && choice.name != harnessClaude {
		return nil, endf(endFatal, "\"--harness claude\" has one", "--no-handoff needs a harness that compacts contexts, and %s does not: a full session there can only hand over", choice.words())
	}
	e.trace.printf("harness: %s %s (%s)", choice.words(), choice.cli.Path, choice.why)
	if script != nil {
		return newRehearsal(script, choice, c.Window)
	}
	credentials, err := e.findCredentials(ctx)
	if err != nil {
		return nil, err
	}
	if credentials.Login != nil && choice.name != harnessClaude {
		return nil, choice.needsKey(credentials.Login, c.Harness)
	}
	real := endpoint{credentials: credentials, config: c, choice: choice, now: e.Now, learned: e.windowsFile()}
	return real, real.check()
}

func scriptOf(env *Env, c *call) ([]byte, error) {
	if !c.given("rehearse") {
		return nil, nil
	}
	return readScript(env, c.text("rehearse"))
}
