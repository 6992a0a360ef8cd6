package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"git-flower/engine/bench"
	"git-flower/engine/harness"
	"git-flower/engine/spending"
	"git-flower/gitstate"
	"git-flower/plugin"
	"git-flower/worktree/fence"
)

// Deps are the things outside that an engine works with.
type Deps struct {
	State       State
	Trees       Trees
	Snapshots   Snapshots
	Joins       Joins
	Scenes      Scenes
	Commands    Commands
	Trust       Trust // nil: every command may run
	Harness     harness.Harness
	Transcripts Transcripts
	Human       Human
	Journal     spending.Journal
	Clock       Clock
	Windows     Windows // nil: none is known
	Events      *Stream
	Wakes       <-chan struct{} // somebody else has added to the run; nil: nobody can
	Words       <-chan string   // what a person says unasked; nil: nobody can
	Asides      <-chan Aside    // side questions of a person; nil: nobody can ask
}

// Config says how this wake drives its run.
type Config struct {
	Wake    string // name of this process's part, unique
	Beside  bool   // for an aside only; another process may drive the run
	Machine string
	Limits  Limits

	Dir          string        // the user's checkout, read by coordinator and clarifier
	Bench        string        // the run's bench, created by the caller
	Environment  string        // a report of the machine for whoever sets the goal
	Instructions string        // the user's own, for every role
	Env          []string      // environment of workers' commands and of checks
	Fence        *fence.Policy // what commands in Dir are held to; nil holds nothing

	Plugins []string       // folders with packs for workers, as harness.Options has them
	Kinds   []plugin.Agent // kinds of workers beside the built-in one, by name

	Model        string // every role's, unless Roles names another
	Roles        map[Role]RoleConfig
	Headroom     int64 // tokens kept free for a handoff; zero: see watermarkOf
	Compact      bool  // the harness compacts full contexts; nothing is handed over
	Price        spending.Price
	Budget       gitstate.MicroUSD // zero: none
	JudgeCanRun  bool              // the judge of a round has a shell in its throw-away tree
	Jobs         int               // workers at work side by side; zero: one
	InPlace      bool              // workers edit the user's checkout, one after the other
	KeepEvery    time.Duration     // how often a worker's whole tree is kept; zero: when it is cut off
	Asks         int               // questions the models may ask; negative: no limit
	CheckTimeout time.Duration     // of one command check; zero: ten minutes
	Patience     Patience
	Timeout      time.Duration // how long a question waits, to tell it; zero: not told
	Heartbeat    time.Duration // how often a wait says so; zero: never
}

// A RoleConfig is what a user sets for one role. Zero values are the harness's own.
type RoleConfig struct {
	Model    string
	Effort   string
	MaxTurns int
}

// An Engine drives one run in one process.
type Engine struct {
	deps         Deps
	c            Config
	purse        *spending.Purse
	books        *spending.Books
	interruption interruption
	told         sync.Map // what is told once in a wake
	ears         *ears
	answers      pulse
	bench        *bench.Bench // nil: there is none
}

// An Outcome is how a run stood when the engine stopped without a save point.
type Outcome struct {
	State EndState
	Why   string
	Base  gitstate.ObjectID
	Join  gitstate.ObjectID // equal to Base when nothing was joined
	Spent gitstate.MicroUSD
}

// New returns an engine for the run that d.State holds. It reads the machine's
// journal, so that what a killed wake spent counts.
func New(d Deps, c Config) (*Engine, error) {
	if c.CheckTimeout == 0 {
		c.CheckTimeout = 10 * time.Minute
	}
	journal, err := d.Journal.Read()
	if err != nil {
		return nil, fmt.Errorf("read the spending journal: %w", err)
	}
	h := d.State.History()
	e := &Engine{
		deps: d, c: c,
		purse: spending.NewPurse(c.Price, c.Budget, reserveOf(c.Budget)),
		books: spending.NewBooks(c.Wake, c.Beside, journal, h.Ledger),
		ears:  newEars(h),
		bench: bench.New(c.Bench),
	}
	e.purse.Elsewhere(e.books.Others(h.Ledger))
	return e, nil
}

// reserveOf keeps a tenth of the budget, at most a dollar, for the judge's turn.
func reserveOf(budget gitstate.MicroUSD) gitstate.MicroUSD { return min(budget/10, 1_000_000) }

// Run drives the run until it stops: it ends, needs a person (Outcome), reaches
// a save point (*Pause), or its context is cancelled (the context's cause).
func (e *Engine) Run(ctx context.Context) (Outcome, error) {
	e.emit(Event{Kind: EventWake, Text: e.deps.State.History().Name})
	e.tidy(ctx)
	defer e.ahead(ctx)()
	defer e.listen(ctx)()
	action := e.again(e.next())
	for {
		if stop, ok := action.(Stop); ok {
			if stopped, err := e.stop(ctx, stop); stopped || err != nil {
				return e.outcome(stop), err
			}
		} else if err := e.perform(ctx, action); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			e.balance(context.WithoutCancel(ctx), err)
			e.emit(Event{Kind: EventEnd, State: "paused", Text: err.Error()})
			return e.outcome(Stop{}), err
		}
		e.catchUp(ctx)
		action = e.next()
	}
}

func (e *Engine) next() Action {
	return Next(Builtin(e.c.Limits), e.deps.State.History(), e.c.Limits)
}

// again asks anew, once in a wake, what nobody answered in an earlier one.
func (e *Engine) again(action Action) Action {
	stop, ok := action.(Stop)
	if !ok || stop.State != NeedsHuman {
		return action
	}
	d, _ := e.deps.State.History().Find(stop.From[0])
	switch d.Kind {
	case gitstate.KindVerdict:
		return Consult{Step: Step{Name: d.Meta.Step}, Verdict: d}
	case gitstate.KindGoal:
		return Confirm{Step: Step{Name: d.Meta.Step}, Goal: d}
	}
	return action
}

func (e *Engine) perform(ctx context.Context, action Action) error {
	switch a := action.(type) {
	case Attempt:
		e.emit(Event{Kind: EventStep, Step: a.Step.Name, Label: a.Label, Round: a.Round, Role: string(a.Step.Role)})
		var stopped *Pause
		if err := e.attempt(ctx, a); !errors.Is(err, errHandedOver) || errors.As(err, &stopped) {
			return err
		}
		return nil
	case Adjudicate:
		return e.judge(ctx, a)
	case Consult:
		return e.consult(ctx, a)
	case Confirm:
		return e.confirm(ctx, a)
	}
	return fmt.Errorf("no way to perform %T", action)
}

func (e *Engine) attempt(ctx context.Context, a Attempt) error {
	switch a.Step.Makes {
	case gitstate.KindBrief:
		return e.clarify(ctx, a)
	case gitstate.KindGoal:
		return e.setGoal(ctx, a)
	}
	return e.work(ctx, a)
}

// stop records the end, unless the history tells it already or a person is
// needed. It is not the end after all when somebody has added something.
func (e *Engine) stop(ctx context.Context, s Stop) (stopped bool, err error) {
	if !s.Ended && s.State != NeedsHuman {
		end := gitstate.Record{
			Kind:    gitstate.KindEnd,
			Subject: string(s.State),
			Body:    s.Why,
			Meta:    gitstate.Meta{State: string(s.State), From: s.From, Code: joined(e.deps.State.History())},
		}
		_, stopped, err := e.recordUnless(ctx, end, func(h gitstate.History) bool {
			now, still := Next(Builtin(e.c.Limits), h, e.c.Limits).(Stop)
			return !still || now.State != s.State || !slices.Equal(now.From, s.From)
		})
		if !stopped || err != nil {
			return false, err
		}
	}
	e.emit(Event{Kind: EventEnd, State: string(s.State), Text: s.Why})
	return true, nil
}

func (e *Engine) outcome(s Stop) Outcome {
	h := e.deps.State.History()
	return Outcome{State: s.State, Why: s.Why, Base: h.Base, Join: joined(h), Spent: e.purse.Total()}
}

func (e *Engine) emit(ev Event) {
	ev.Time = e.deps.Clock.Now()
	ev.Cost = int64(e.purse.Total())
	e.deps.Events.Emit(ev)
}

// tidy gives back the trees of workers whose reports are recorded: a crash
// between report and release leaves them behind.
func (e *Engine) tidy(ctx context.Context) {
	h := e.deps.State.History()
	for _, d := range h.Of(gitstate.KindReport) {
		tree, err := e.deps.Trees.Reopen(ctx, e.spec(d.Meta.Worker, ""))
		if err != nil {
			continue // gone already, as it should be
		}
		if err := e.deps.Trees.Release(ctx, tree); err != nil {
			e.emit(Event{Kind: EventNotice, Worker: d.Meta.Worker, Text: notGivenBack(d.Meta.Worker, err)})
		}
	}
}

func (e *Engine) model(r Role) string {
	if m := e.c.Roles[r].Model; m != "" {
		return m
	}
	return e.c.Model
}

// amendmentsSince are the person's words that came after a document.
func amendmentsSince(h gitstate.History, counter int) []gitstate.Doc {
	return slices.DeleteFunc(amendments(h), func(d gitstate.Doc) bool { return d.Counter <= counter })
}

func jitter() float64 { return rand.Float64() }
