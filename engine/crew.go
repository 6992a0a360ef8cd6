package engine

import (
	"context"
	"errors"
	"sync"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// A crew is the workers of one attempt at a working step. They are the
// attempt's, not the dispatch call's: a call that stops waiting, because the
// person said something, leaves them at work.
//
// Workers work side by side, at most Config.Jobs of them, and hand in one after
// the other in the order in which they were dispatched: so the same work gives
// the same join, whoever is faster. One that stops at a save point does not keep
// those after it from handing in.
type crew struct {
	e      *Engine
	a      Attempt
	ctx    context.Context
	cancel context.CancelCauseFunc
	jobs   chan struct{} // one token for each worker that may be at work

	mu      sync.Mutex
	looked  int           // counter of the newest document at the last look into the inbox
	members []*member     // in the order of dispatch
	news    chan struct{} // closed, and made anew, when the person has said something
	said    int           // how often that was
	heard   int           // how often by the coordinator's newest request, or by a call's early end
}

// newCrew makes the crew of an attempt and puts the workers back to work that
// an earlier wake has left unfinished.
func (e *Engine) newCrew(ctx context.Context, a Attempt) (*crew, error) {
	begun, err := e.unreported(ctx, a.Step.Name)
	if err != nil {
		return nil, err
	}
	c := &crew{e: e, a: a, jobs: make(chan struct{}, max(1, e.c.Jobs)), news: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.looked = newest(e.deps.State.History())
	for _, b := range begun {
		c.join(b)
	}
	return c, nil
}

// unreported are the session records of a step's workers that go on, those of
// another harness replaced.
func (e *Engine) unreported(ctx context.Context, step string) ([]gitstate.Doc, error) {
	var all []gitstate.Doc
	for _, begun := range AtWork(e.deps.State.History()) {
		if begun.Meta.Step != step {
			continue
		}
		begun, err := e.ofThisHarness(ctx, begun)
		if err != nil {
			return nil, err
		}
		all = append(all, begun)
	}
	return all, nil
}

// join takes a worker that is recorded into the crew and sets it to work.
func (c *crew) join(begun gitstate.Doc) *member {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := &member{begun: begun, done: make(chan struct{})}
	if n := len(c.members); n > 0 {
		m.before = c.members[n-1]
	}
	c.members = append(c.members, m)
	go c.run(m)
	return m
}

// find is the member that belongs to one task of a call.
func (c *crew) find(call string, index int) (*member, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.begun.Meta.Call == call && m.begun.Meta.Index == index {
			return m, true
		}
	}
	return nil, false
}

// running names the members that have not reported.
func (c *crew) running() []*member {
	c.mu.Lock()
	defer c.mu.Unlock()
	var left []*member
	for _, m := range c.members {
		if !m.hasEnded() {
			left = append(left, m)
		}
	}
	return left
}

// wait waits for members. It returns early, with early set, when the person has
// said something that the coordinator has not heard: also before it began to wait,
// since a model that writes a call hears nothing.
func (c *crew) wait(ctx context.Context, members []*member) (early bool, err error) {
	c.mu.Lock()
	news, unheard := c.news, c.said != c.heard
	c.mu.Unlock()
	defer c.e.waiting(ctx, workersWait(members), 0)()
	for _, m := range members {
		if unheard && !m.hasEnded() {
			c.hear()
			return true, nil
		}
		select {
		case <-m.done:
		case <-news:
			c.hear()
			return true, nil
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
	return false, errorsOf(members)
}

// untold are the members whose reports the coordinator has not had.
func (c *crew) untold() []*member {
	c.mu.Lock()
	defer c.mu.Unlock()
	var late []*member
	for _, m := range c.members {
		m.mu.Lock()
		if !m.told {
			late = append(late, m)
		}
		m.mu.Unlock()
	}
	return late
}

// hear notes that the coordinator is told, by a request or by a call's end, of all
// that the person has said.
func (c *crew) hear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = c.said
}

// wake ends the waiting of every call.
func (c *crew) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said++
	close(c.news)
	c.news = make(chan struct{})
}

// finish waits for every member, whoever says what meanwhile.
func (c *crew) finish(ctx context.Context) error {
	for {
		members := c.untold()
		early, err := c.wait(ctx, members)
		if err != nil || !early {
			reportsOf(members, false)
			return err
		}
	}
}

// tellLate waits for workers that no call waits for, and gives the coordinator
// their reports. What the person says meanwhile comes first.
func (c *crew) tellLate(ctx context.Context, t *talk) (harness.Ended, error) {
	late := c.untold()
	news, err := c.waitBetween(ctx, t, late)
	if err != nil {
		return harness.Ended{}, err
	}
	about := []string{t.job.session, "late"}
	for _, m := range late {
		if m.hasReported() {
			about = append(about, m.begun.Meta.Worker)
		}
	}
	if len(about) > 2 {
		news = append(news, harness.Message{ID: messageID(about...), Text: reportsOf(late, false)})
	}
	return t.say(ctx, append(news, harness.Message{})...)
}

// waitBetween waits for members between two turns of the coordinator, until the
// person says something. The words are queued; what has to be said besides is
// returned.
func (c *crew) waitBetween(ctx context.Context, t *talk, members []*member) ([]harness.Message, error) {
	defer c.e.ears.attend(func(fresh []gitstate.Doc) { t.hear(ctx, fresh) })()
	waiting, over := c.e.between(ctx)
	_, err := c.wait(waiting, members)
	over()
	if !t.interrupted() {
		return nil, err
	}
	note, err := t.takeWords(ctx)
	return []harness.Message{note}, err
}

// close stops the members that are still at work and waits for all of them:
// each keeps what it has done so far. It returns their errors that told, how the
// attempt ended, does not hold.
func (c *crew) close(told error) error {
	c.cancel(errAttemptOver)
	c.mu.Lock()
	members := c.members
	c.mu.Unlock()
	var errs []error
	for _, m := range members {
		<-m.done
		if !errors.Is(m.err, errAttemptOver) && !errors.Is(errors.Join(told, errors.Join(errs...)), m.err) {
			errs = append(errs, m.err)
		}
	}
	return errors.Join(errs...)
}

// errAttemptOver is why members are stopped when their attempt ends first.
var errAttemptOver = errors.New("the attempt is over")
