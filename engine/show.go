package engine

import (
	"encoding/json"

	"git-flower/engine/harness"
)

// watch tells of files that the built-in tools have written.
func (t *talk) watch(ev harness.Event) {
	if t.edited == nil {
		return
	}
	switch ev := ev.(type) {
	case harness.ToolCall:
		var in struct {
			Path string `json:"file_path"`
		}
		if ev.Tool != "Write" && ev.Tool != "Edit" || json.Unmarshal(ev.Input, &in) != nil || in.Path == "" {
			return
		}
		if t.writes == nil {
			t.writes = map[string]string{}
		}
		t.writes[ev.ID] = in.Path
	case harness.ToolResult:
		if path, ok := t.writes[ev.ID]; ok && !ev.Denied {
			t.edited(path)
		}
		delete(t.writes, ev.ID)
	}
}

func (t *talk) event(kind string) Event {
	return Event{Kind: kind, Step: t.job.step, Label: t.job.label, Role: string(t.job.role), Worker: t.job.worker, Session: t.job.session}
}

// show turns a harness event into one of ours.
func (t *talk) show(ev harness.Event) {
	out := t.event("")
	switch ev := ev.(type) {
	case harness.Text:
		out.Kind, out.Text = EventText, ev.Text
	case harness.Thinking:
		out.Kind, out.Text = EventThinking, ev.Text
	case harness.ToolCall:
		out.Kind, out.Tool, out.ID, out.Text = EventCall, ev.Tool, ev.ID, summary(ev.Input, t.job.dir)
	case harness.ToolResult:
		out.Kind, out.Tool, out.ID, out.Text = EventResult, ev.Tool, ev.ID, tail(ev.Result.Text, 500)
		switch {
		case ev.Denied:
			out.State = "denied"
		case ev.Result.IsError:
			out.State = "error"
		}
	case harness.Responded:
		out.Kind, out.Context, out.Window = EventResponse, ev.Usage.Context(), t.mark.window
	default:
		return
	}
	t.e.emit(out)
}
