package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"git-flower/gitstate"
)

// A member is one worker of a crew.
type member struct {
	begun  gitstate.Doc // its session record
	before *member      // the one dispatched before it, nil for the first
	done   chan struct{}

	mu     sync.Mutex
	talk   *talk // while it is at work
	report gitstate.Doc
	err    error
	told   bool // the coordinator has had the report
}

// run brings one member to its report; close waits for it.
func (c *crew) run(m *member) {
	defer close(m.done)
	report, err := c.bring(m)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.report, m.err = report, err
}

// bring has a member work while there is room, and hand in when those before
// it have.
func (c *crew) bring(m *member) (gitstate.Doc, error) {
	if err := c.itsTurn(m); err != nil {
		return gitstate.Doc{}, err
	}
	w, err := c.atWork(m)
	if m.before != nil {
		if err == nil && w.keeper != nil {
			w.keeper.look() // it may be long until its turn to hand in
		}
		<-m.before.done
	}
	if err != nil {
		return gitstate.Doc{}, err
	}
	if err := w.handIn(c.ctx); err != nil {
		return gitstate.Doc{}, err
	}
	report, ok := answering(c.e.deps.State.History(), gitstate.KindReport, m.begun.Meta.Call, m.begun.Meta.Index)
	if !ok {
		return report, fmt.Errorf("the report of '%s' is not in the history", m.begun.Meta.Worker)
	}
	if err := c.e.deps.Trees.Release(context.WithoutCancel(c.ctx), w.tree); err != nil {
		w.notice(notGivenBack(m.begun.Meta.Worker, err))
	}
	return report, nil
}

// itsTurn waits, where all workers share the user's checkout, for the one before:
// what that one has not handed in is still in the files, and is none of m's.
func (c *crew) itsTurn(m *member) error {
	if !c.e.c.InPlace || m.before == nil {
		return nil
	}
	<-m.before.done
	return m.before.err
}

// notGivenBack is no reason to stop: the work is in the records, and the folder is
// for a person to look at.
func notGivenBack(worker string, err error) string {
	return fmt.Sprintf("the tree of '%s' was not given back: %v", worker, err)
}

// atWork is the part of a worker's life that runs beside others.
func (c *crew) atWork(m *member) (*worker, error) {
	select {
	case c.jobs <- struct{}{}:
		defer func() { <-c.jobs }()
	case <-c.ctx.Done():
		return nil, context.Cause(c.ctx)
	}
	tree, restored, err := c.e.treeOf(c.ctx, m.begun)
	if err != nil {
		return nil, err
	}
	w := &worker{e: c.e, a: c.a, begun: m.begun, tree: tree, restored: restored, at: m.at}
	return w, w.work(c.ctx)
}

// at notes the session in which a member works, nil when it has ended.
func (m *member) at(t *talk) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.talk = t
}

// errorsOf are the errors of members that have ended: save points and faults
// of ours, which end the attempt.
func errorsOf(members []*member) error {
	var errs []error
	for _, m := range members {
		m.mu.Lock()
		if m.err != nil && !errors.Is(errors.Join(errs...), m.err) { // it may be that of the one before
			errs = append(errs, m.err)
		}
		m.mu.Unlock()
	}
	return errors.Join(errs...)
}

func (m *member) hasEnded() bool {
	select {
	case <-m.done:
		return true
	default:
		return false
	}
}

func (m *member) hasReported() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.report.Kind != ""
}

// reportsOf is what a call is answered when its workers have reported, or when it
// stops waiting.
func reportsOf(members []*member, early bool) string {
	var b strings.Builder
	var running []string
	for _, m := range members {
		m.mu.Lock()
		report := m.report
		m.told = m.told || report.Kind != ""
		m.mu.Unlock()
		if report.Kind == "" {
			running = append(running, m.begun.Meta.Worker)
			continue
		}
		b.WriteString(reportText(report))
	}
	if early {
		fmt.Fprintf(&b, "The person has said something; it follows. Still at work: %s. They go on; call wait for their reports.\n",
			strings.Join(running, ", "))
	}
	return strings.TrimSpace(b.String())
}
