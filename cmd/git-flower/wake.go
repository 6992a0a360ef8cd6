package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-flower/engine"
	"git-flower/engine/harness"
	"git-flower/engine/inbox"
	"git-flower/engine/session"
	"git-flower/engine/spending"
	"git-flower/gitstate"
	"git-flower/worktree"
	"git-flower/worktree/fence"
	"git-flower/worktree/process"
)

// A wake is this process's part in a run: it holds the run's lock and builds
// the engine from what is there.
type wake struct {
	env    *Env
	config Config
	store  *gitstate.Store
	run    *gitstate.Run
	pool   *worktree.Pool
	source modelSource
	json   bool
	person presence
	human  *person
	place  *worktree.InPlace // the checkout, when workers edit it
	trust  string            // the record whose commands are accepted, as the user named it

	pack     *carried // from the banner on
	packNote string   // about the pack that a new run does not get

	fence   fence.Policy // what all commands of this process are held to
	resumes bool         // the run was there before this process

	checkout *worktree.Tree
	changes  worktree.Changes // that the run began with, in the wake that began it
}

// goOn drives a run that has begun.
func (w *wake) goOn(ctx context.Context) error {
	return w.inTrees(ctx, w.goOnInTrees)
}

// inTrees opens the pool for what is done.
func (w *wake) inTrees(ctx context.Context, do func(context.Context) error) error {
	if err := w.putUpFence(ctx); err != nil {
		return err
	}
	pool, err := openPool(ctx, w.env, w.store, w.config.SnapshotLimit, w.config.Setup, w.treeFence())
	if err != nil {
		return err
	}
	w.pool = pool
	if err = w.takeCheckoutAgain(ctx); err == nil {
		err = do(ctx)
	}
	return errors.Join(err, w.leaveCheckout(), pool.Close())
}

// goOnInTrees is goOn where the pool is open.
func (w *wake) goOnInTrees(ctx context.Context) error {
	err := w.openCheckout(ctx)
	if err == nil {
		err = errors.Join(w.driveThere(ctx), w.closeCheckout(ctx))
	}
	return err
}

func (w *wake) driveThere(ctx context.Context) error {
	if err := w.banner(ctx); err != nil {
		return err
	}
	if err := w.acceptUnfenced(ctx); err != nil {
		return err
	}
	return w.drive(ctx)
}

// drive runs the engine until it stops and says how things stand. Whoever adds
// something to a run that is driven is told that it is taken up; so what was added
// between the engine's last look and the end of the lock is looked for after that.
func (w *wake) drive(ctx context.Context) error {
	for {
		stopped, err := w.driveOnce(ctx)
		if stopped == nil {
			return err
		}
		if err := w.recordLeftover(context.WithoutCancel(ctx)); err != nil {
			say(w.env.Err, "warning", err.Error())
		}
		if stopped.err != nil || !w.goesOn(ctx) {
			return w.conclude(ctx, stopped.outcome, stopped.err)
		}
	}
}

// recordLeftover records what was typed last, when no engine listened any more.
func (w *wake) recordLeftover(ctx context.Context) error {
	words := w.human.leftover()
	if words == "" {
		return nil
	}
	if _, err := amend(ctx, w.run, words, w.env.Now()); err != nil {
		return fmt.Errorf("your words '%s' are not recorded: %w", cut(oneLine(words), 200), err)
	}
	return nil
}

// goesOn reports whether the run has something to do although the engine has
// stopped. Where that cannot be told, what stopped it is what is told.
func (w *wake) goesOn(ctx context.Context) bool {
	return w.run.Reload(ctx) == nil && engine.GoesOn(w.run.History(), w.limits())
}

func (w *wake) limits() engine.Limits {
	return engine.Limits{Rounds: w.config.Rounds, NoGoal: !w.config.Goal, ClarifyOnly: w.config.ClarifyOnly}
}

// A halt is how the engine stopped.
type halt struct {
	outcome engine.Outcome
	err     error
}

// driveOnce holds the run's lock and runs the engine until it stops; nil when it
// did not come to that.
func (w *wake) driveOnce(ctx context.Context) (*halt, error) {
	lock, err := w.store.Lock(ctx, w.run.Name())
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	// Another process may have carried the run on before the lock was ours.
	if err := w.run.Reload(ctx); err != nil {
		return nil, err
	}
	if err := w.accept(ctx); err != nil {
		return nil, err
	}
	if err := w.restoreBench(ctx); err != nil {
		return nil, fmt.Errorf("restore the bench: %w", err)
	}
	dir := w.store.Layout().RunDir(w.run.Name())
	if w.human == nil {
		w.human = newPerson(w.env, w.config.Timeout, w.person, func() []string { return recentEvents(dir) })
	}
	transcripts, err := session.Open(ctx, filepath.Join(w.store.Layout().Flower, "session.db"))
	if err != nil {
		return nil, err
	}
	defer transcripts.Close()
	if damage := transcripts.Damage(); damage != nil {
		say(w.env.Err, "warning", damage.Error())
	}
	journal, err := openJournal(filepath.Join(dir, spendFile))
	if err != nil {
		return nil, err
	}
	defer journal.Close()
	file, err := openEvents(dir)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	stream := w.events(file, w.env.look(ctx))
	outcome, err := w.engine(ctx, transcripts, journal, stream)
	if lost := stream.Close(); lost > 0 {
		say(w.env.Err, "warning", fmt.Sprintf("%d events were not shown", lost))
	}
	return &halt{outcome, err}, nil
}

// inbox is where others knock while this process drives the run.
func (w *wake) inbox() string { return inboxOf(w.store, w.run.Name()) }

func inboxOf(store *gitstate.Store, run string) string {
	return filepath.Join(store.Layout().RunDir(run), "inbox")
}

func (w *wake) engine(ctx context.Context, transcripts *session.Store, journal *journal, stream *engine.Stream) (engine.Outcome, error) {
	box, err := inbox.Open(w.inbox())
	if err != nil {
		return engine.Outcome{}, err
	}
	defer box.Close()
	sessions, done, err := openSessions(w.store.Layout().State, w.run.Name())
	if err != nil {
		return engine.Outcome{}, err
	}
	defer done()
	model, err := w.source.open(ctx, transcripts, sessions)
	if err != nil {
		return engine.Outcome{}, err
	}
	defer model.close()
	config, err := w.engineConfig(ctx, model)
	if err != nil {
		return engine.Outcome{}, err
	}
	if config.Plugins, err = w.layOutPacks(); err != nil {
		return engine.Outcome{}, err
	}
	config.Kinds = w.pack.kinds
	config.Environment = environment(ctx, w.store, w.run.History().Base)
	trees, snapshots := w.trees()
	e, err := engine.New(engine.Deps{
		State: w.run, Trees: trees, Snapshots: snapshots, Joins: w.pool, Scenes: w.pool, Commands: shell{}, Trust: gate{w},
		Harness: model.harness, Transcripts: transcripts, Human: w.human,
		Journal: journal, Clock: clock{now: w.env.Now}, Windows: model.windows, Events: stream, Wakes: box.Wakes(), Words: w.human.words, Asides: w.human.asides,
	}, config)
	if err != nil {
		return engine.Outcome{}, err
	}
	if w.person == here {
		heed := func() bool { return e.Interrupt(ctx) }
		w.env.interrupt.Store(&heed)
		defer w.env.interrupt.Store(nil)
	}
	if err := w.env.telling.begun(w.store.Layout().RunDir(w.run.Name())); err != nil {
		return engine.Outcome{}, err
	}
	return e.Run(ctx)
}

func (w *wake) engineConfig(ctx context.Context, m *model) (engine.Config, error) {
	bench, err := makeBench(w.benchDir())
	if err != nil {
		return engine.Config{}, err
	}
	instructions, err := w.instructions()
	if err != nil {
		return engine.Config{}, err
	}
	held, err := w.checkoutFence()
	if err != nil {
		return engine.Config{}, err
	}
	roles := map[engine.Role]engine.RoleConfig{}
	for role, c := range w.config.Roles {
		roles[engine.Role(role)] = engine.RoleConfig(c)
	}
	return engine.Config{
		Wake: newWake(), Machine: w.store.Machine(),
		Limits: w.limits(),
		Dir:    w.checkout.Path, Bench: bench, Instructions: instructions,
		Env: process.Env(w.marks()...), Fence: held, Model: m.name, Roles: roles, Headroom: w.config.Headroom, Compact: !w.config.Handoff, Price: m.price, Budget: w.config.Budget, Jobs: w.jobs(), InPlace: w.place != nil, JudgeCanRun: w.config.JudgeCanRun, Asks: w.config.Asks,
		Patience: m.patience, Timeout: w.config.Timeout, Heartbeat: engine.DefaultHeartbeat,
		KeepEvery: engine.DefaultKeepEvery,
	}, nil
}

// openCheckout finds what coordinator and clarifier read: the user's checkout,
// or in a bare repository a tree of the commit that the run starts from.
func (w *wake) openCheckout(ctx context.Context) (err error) {
	if l := w.store.Layout(); l.TopLevel != "" {
		w.checkout = &worktree.Tree{Path: l.TopLevel}
		return nil
	}
	w.checkout, err = w.pool.Checkout(ctx, string(w.run.History().Base), worktree.ProtectSpec{})
	return err
}

// closeCheckout gives a bare repository's tree back.
func (w *wake) closeCheckout(ctx context.Context) error {
	if w.store.Layout().TopLevel != "" {
		return nil
	}
	return w.pool.Release(context.WithoutCancel(ctx), w.checkout)
}

func (w *wake) instructions() (string, error) {
	if w.config.Instructions == "" {
		return "", nil
	}
	data, err := os.ReadFile(w.env.path(w.config.Instructions))
	if err != nil {
		return "", endf(endFatal, "", "read the instructions: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

func newWake() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b[:])
}

// shell runs check commands.
type shell struct{}

func (shell) Run(ctx context.Context, c process.Command) (process.Result, error) {
	return process.Run(ctx, c)
}

// priceOf is the price table with the user's own rows in it.
func priceOf(lookup func(string) (harness.Model, bool)) spending.Price {
	return func(model string, u harness.Usage) (gitstate.MicroUSD, bool) {
		m, ok := lookup(model)
		return gitstate.MicroUSD(m.Cost(u)), ok
	}
}
