package engine

import (
	"context"
	"errors"
	"strings"

	"git-flower/gitstate"
)

// work runs one round of a working step: the coordinator dispatches until it
// holds the checks to be met.
func (e *Engine) work(ctx context.Context, a Attempt) error {
	p, err := e.place(ctx, a)
	if err != nil {
		return err
	}
	c, err := e.newCrew(ctx, a)
	if err != nil {
		return err
	}
	if p.fresh {
		// Nobody knows of the workers that an earlier session has left; what
		// they bring is told with the prompt.
		err = c.finish(ctx)
	}
	if err == nil {
		err = e.coordinate(ctx, a, c, p)
	}
	if errors.Is(err, errHandedOver) {
		// Workers go on while the coordinator changes.
		if failed := c.finish(ctx); failed != nil {
			err = failed
		}
	}
	return errors.Join(err, c.close(err))
}

// coordinate drives the coordinator's session to the end of its turn.
func (e *Engine) coordinate(ctx context.Context, a Attempt, c *crew, p place) error {
	t, first, err := e.enter(ctx, a, p, e.c.Dir, c.dispatchTool(), c.waitTool(), c.tellTool(p.session), c.inboxTool())
	if err != nil {
		return err
	}
	defer t.close()
	t.words, t.asked = c.wake, c.hear
	e.atHelm(t)
	defer e.atHelm(nil)
	ended, err := t.say(ctx, first...)
	for err == nil && len(c.untold()) > 0 {
		ended, err = c.tellLate(ctx, t)
	}
	if err != nil {
		return err
	}
	if strings.TrimSpace(ended.Text) == "" {
		return e.fail(ctx, a, t, "the coordinator ended its turn without a word")
	}
	d := e.finished(a, t, stepOK, ended.Text)
	_, err = e.record(ctx, gitstate.Record{
		Kind: gitstate.KindStep, Subject: a.Label + ": " + line(ended.Text, 50), Meta: withCost(d.Meta, t), Body: d.Body,
	})
	return err
}
