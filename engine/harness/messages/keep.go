package messages

import (
	"context"

	"git-flower/engine/harness"
)

// keep puts an answer on disk and into the conversation. An answer without
// usable content leaves no trace: the API would refuse it.
func (t *turn) keep(ctx context.Context, r *reply, a *answer) error {
	t.text = a.text
	if len(a.blocks) == 0 {
		return nil
	}
	rec := record{kind: "assistant", message: r.assistantMessage(a.blocks)}
	if r.requestID != "" {
		rec.extra = []member{{"requestId", quoted(r.requestID)}}
	}
	if m := t.journal.mark; m != "" {
		rec.extra = append(rec.extra, member{"flowerLoaded", quoted(m)}, member{"flowerLeft", t.journal.left})
	}
	if _, err := t.journal.append(ctx, rec); err != nil {
		return err
	}
	t.convo.addAssistant(a.blocks, a.calls, r.Stop, a.text)
	return nil
}

// tell emits what an answer holds, once it is kept.
func (t *turn) tell(r *reply, a *answer) {
	for _, e := range a.events {
		t.out.Emit(e)
	}
	t.responded(r)
}

func (t *turn) responded(r *reply) {
	model := r.Model
	if model == "" {
		model = t.wire
	}
	t.out.Emit(harness.Responded{Model: model, Usage: r.Counted(t.known.Tokens)})
}

// answerAll gives calls that are not run an error result.
func (t *turn) answerAll(ctx context.Context, calls []call, text string) error {
	for _, k := range calls {
		t.announce(k)
		r := errorResult(text)
		if err := t.answer(ctx, k, r, false, false); err != nil {
			return err
		}
		t.out.Emit(harness.ToolResult{ID: k.id, Tool: k.name, Result: r})
	}
	return nil
}

// announce emits a call, once.
func (t *turn) announce(k call) {
	if !t.announced[k.id] {
		t.announced[k.id] = true
		t.out.Emit(harness.ToolCall{ID: k.id, Tool: k.name, Input: k.input})
	}
}
