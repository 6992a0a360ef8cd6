package engine

import (
	"context"
	"slices"

	"git-flower/engine/bench"
	"git-flower/engine/harness"
	"git-flower/guards"
)

// observe sees what a call of any role came to and returns what the model is
// told: a long text goes to the bench and leaves a pointer, and files that are
// new on the bench are announced behind it. The session's beginning stays as it
// is, so its cache holds.
//
// Results of our own tools (dispatch, ask, goal, verdict and the like) pass as
// they are: reports have a form that keeps them short, and a session decides by
// them. What a spilled text holds stays on this machine: no record takes it along.
func (t *talk) observe(_ context.Context, c guards.Call, r harness.Result) harness.Result {
	t.walls.ran(c, r.Text)
	if t.e.bench == nil {
		return r
	}
	if text := r.Text; guards.Spills(c, text) && !t.e.bench.Reads(c, places{}) {
		if file, err := t.e.bench.Spill(text); err == nil {
			r.Text = guards.Pointer(c, text, file)
		} else {
			t.tell("a long result stays in the context: " + err.Error())
		}
	}
	if slices.Contains(makers[:], c.Tool) {
		r.Text = joinLines(r.Text, t.newOnBench())
	}
	return r
}

// archive puts an old result on the bench and leaves a pointer to it; see
// harness.Options.Archive.
func (t *talk) archive(c guards.Call, text string) string {
	if t.e.bench == nil {
		return ""
	}
	file, err := t.e.bench.Spill(text)
	if err != nil {
		t.tell("a long result stays in the context: " + err.Error())
		return ""
	}
	return guards.Pointer(c, text, file)
}

// makers are the tools after which the bench may hold new files.
var makers = [...]string{"Bash", "BashOutput", "Write", "Edit", "MultiEdit", "NotebookEdit"}

func joinLines(text, more string) string {
	if text == "" || more == "" {
		return text + more
	}
	return text + "\n\n" + more
}

// newOnBench announces what this session has not been told of.
func (t *talk) newOnBench() string {
	files, err := t.e.bench.Refresh()
	if err != nil {
		t.tell(err.Error())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var fresh []bench.File
	for _, f := range files {
		if !t.toldOf[f.Path] {
			fresh = append(fresh, f)
			t.toldOf[f.Path] = true
		}
	}
	return t.e.bench.Announcement(fresh)
}

// knowBench takes what is on the bench for known to the session. For a new one
// it returns what it has to be told first.
func (t *talk) knowBench() string {
	t.toldOf = map[string]bool{}
	if t.e.bench == nil {
		return ""
	}
	files, err := t.e.bench.Refresh()
	if err != nil {
		t.tell(err.Error())
	}
	for _, f := range files {
		t.toldOf[f.Path] = true
	}
	return t.e.bench.Opening(files)
}

// withFirst adds to a new session's first message what is told with it.
func (t *talk) withFirst(messages []harness.Message) []harness.Message {
	if t.first == "" || len(messages) == 0 || messages[0].Text == "" {
		return messages
	}
	messages = slices.Clone(messages)
	messages[0].Text = joinLines(messages[0].Text, t.first)
	t.first = ""
	return messages
}

// tell tells whoever watches, and no record.
func (t *talk) tell(text string) {
	ev := t.event(EventNotice)
	ev.Text = text
	t.e.emit(ev)
}
