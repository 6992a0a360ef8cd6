package engine

import (
	"context"
	"fmt"

	"git-flower/engine/harness"
	"git-flower/gitstate"
)

// servedOther is the state of a notice that a model answers that was not asked for.
const servedOther = "other-model"

// checkServed tells, once in a wake for each pair, that another model answers than
// was asked for: window and price are held to be those of the one that was. The run
// has it as a notice, once. An aside leaves the records as they stand.
func (t *talk) checkServed(ctx context.Context, served string) error {
	asked := t.row.Model
	if harness.SameModel(asked, served) || !t.e.firstTime(servedOther, asked, served) {
		return nil
	}
	subject := line(fmt.Sprintf("'%s' answers instead of '%s'", served, asked), 60)
	body := fmt.Sprintf("'%s' was asked for, and the endpoint answers as '%s'. Its window and its price may be others than those that this run counts with. "+
		"--window tells the window; flower.model, or flower.<role>.model, names the model that is meant.", line(asked, 200), line(served, 200))
	ev := t.event(EventNotice)
	ev.Text = subject + ": its window and price may be others; --window tells the window"
	t.e.emit(ev)
	if t.job.step == asideStep {
		return nil
	}
	m := t.facts(servedOther)
	m.Model = line(served, 200)
	r := gitstate.Record{Kind: gitstate.KindNotice, Subject: subject, Body: body, Meta: m}
	_, _, err := t.e.recordUnless(ctx, r, func(h gitstate.History) bool {
		_, told := h.Last(func(d gitstate.Doc) bool {
			return d.Kind == gitstate.KindNotice && d.Meta.State == servedOther && d.Body == body
		})
		return told
	})
	return err
}

// firstTime reports whether nothing was told about these things in this wake yet.
func (e *Engine) firstTime(about ...string) bool {
	_, told := e.told.LoadOrStore(messageID(about...), true)
	return !told
}
