package main

import (
	"strings"
	"testing"

	"git-flower/gitstate"
)

// atTerminal runs the tool as somebody at a terminal who types that.
func (d *desk) atTerminal(typed string, words ...string) int {
	d.t.Helper()
	d.reset()
	d.env.In, d.env.InTerminal, d.env.ErrTerminal = strings.NewReader(typed), true, true
	return run(d.t.Context(), words, d.env)
}

func (d *desk) runs() string {
	return d.git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/flower/run")
}

func TestStartWithAnUnfinishedRun(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.begin("old", "do it", true)
	start := []string{"start", "--rehearse", "--timeout", "0", "--clarify-only"}
	tip := d.git("rev-parse", "flower/run/old")
	for _, typed := range []string{"", "\n", "q\n", "what?\nno\nyes\nr\n", "R N\n\n"} {
		if code := d.atTerminal(typed, append(start, "do that")...); code != 1 {
			t.Errorf("%q: exit %d\n%s", typed, code, d.err.String())
		}
		has(t, d.err.String(), "[r]esume old, with these words added", "nothing was begun", "hint: \"git flower resume old\"")
		if strings.Count(d.err.String(), "hint: ") != 1 || d.runs() != "old" || d.git("rev-parse", "flower/run/old") != tip {
			t.Errorf("%q: something was begun: %s", typed, d.err.String())
		}
	}
	if code := d.atTerminal("n\n", append(start, "--name", "new", "do that")...); code != 0 || d.runs() != "new\nold" {
		t.Errorf("new: exit %d, runs %q\n%s", code, d.runs(), d.err.String())
	}
	if code := d.atTerminal("r\n", append(start, "--name", "third", "do that")...); code != 0 || d.runs() != "new\nold" {
		t.Errorf("resume: exit %d, runs %q\n%s", code, d.runs(), d.err.String())
	}
	has(t, d.err.String(), "--name is of a new run")
	h := d.history("old")
	if said := h.Of(gitstate.KindAmendment); len(said) != 1 || said[0].Body != "do that" {
		t.Errorf("the words were not added: %v", said)
	}
}

// The same words again go on with what they began.
func TestStartRepeated(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.begin("old", "do it", true)
	if code := d.atTerminal("resume\n", "start", "--rehearse", "--timeout", "0", "--clarify-only", "do it"); code != 0 {
		t.Fatalf("exit %d\n%s", code, d.err.String())
	}
	if said := d.history("old").Of(gitstate.KindAmendment); len(said) != 0 {
		t.Errorf("said twice: %v", said)
	}
}

// A run is never finished with another kind of model than it began with.
func TestStartAsARehearsalResumesNoRealRun(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.begin("real", "do it", false)
	if code := d.atTerminal("r\n", "start", "--rehearse", "do it"); code != 128 {
		t.Errorf("exit %d\n%s", code, d.err.String())
	}
	has(t, d.err.String(), "was not begun as a rehearsal")
}

func TestStartOnlySaysSoWithoutATerminal(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.begin("old", "do it", true)
	d.expect(0, "start", "--rehearse", "--clarify-only", "--name", "new", "do that")
	has(t, d.err.String(), "note: unfinished here: old")
	if code := d.atTerminal("", "start", "--new", "--rehearse", "--clarify-only", "--timeout", "0", "--name", "newer", "do that"); code != 0 || strings.Contains(d.err.String(), "unfinished") {
		t.Errorf("exit %d\n%s", code, d.err.String())
	}
}

func (d *desk) history(name string) gitstate.History {
	d.t.Helper()
	d.reset()
	store, err := d.env.Store(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	defer store.Close()
	run, err := store.Run(d.t.Context(), name)
	if err != nil {
		d.t.Fatal(err)
	}
	return run.History()
}

func TestStartWithoutWords(t *testing.T) {
	d := newDesk(t)
	d.repository()
	start := []string{"start", "--rehearse", "--timeout", "0", "--clarify-only", "--name", "x"}
	for _, c := range []struct {
		editor string
		code   int
		says   string
	}{
		{"true", 1, "the request is empty"},
		{`printf '\n#not this\n' >`, 1, "the request is empty"},
		{"false", 128, "nothing was begun"},
		{"echo do it >", 0, ""},
	} {
		d.git("config", "core.editor", c.editor)
		code := d.atTerminal("", start...)
		if code != c.code || (d.runs() == "x") != (code == 0) {
			t.Errorf("%s: exit %d, runs %q\n%s", c.editor, code, d.runs(), d.err.String())
		}
		has(t, d.err.String(), c.says)
	}
	if request, _ := d.history("x").Current(gitstate.KindRequest); strings.TrimSpace(request.Body) != "do it" {
		t.Errorf("request %q", request.Body)
	}
}

// Nobody writes a request that cannot be begun.
func TestTheEditorOpensLast(t *testing.T) {
	d := newDesk(t)
	d.repository()
	t.Setenv("GIT_EDITOR", "touch edited;")
	if code := d.atTerminal("", "start"); code != 128 { // no key
		t.Errorf("exit %d\n%s", code, d.err.String())
	}
	if status := d.git("status", "--porcelain"); status != "" {
		t.Error("the editor was opened: " + status)
	}
}
