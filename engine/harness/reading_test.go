package harness

import (
	"strings"
	"testing"

	"git-flower/engine/transcript"
	"git-flower/guards"
)

// The functions that decide are asked about calls as Authorize is, and what a
// session goes by is never put away.
func TestReading(t *testing.T) {
	var asked []guards.Call
	o := Options{Role: "worker", Agent: "coder-1", Dir: "/d", Custom: []Tool{{Name: "dispatch"}},
		Expires: func(c guards.Call) bool { asked = append(asked, c); return true },
		Archive: func(c guards.Call, text string) string { asked = append(asked, c); return "kept " + text }}
	ours := func(name string) string { return strings.TrimPrefix(name, "x__") }
	r := o.Reading("on", ours)
	c := transcript.Call{Tool: "x__Bash", Input: []byte("{}")}
	if !r.Expires(c) || r.Point(c, "text") != "kept text" || r.CarryOn != "on" {
		t.Errorf("%+v", r)
	}
	for _, a := range asked {
		if a.Role != "worker" || a.Agent != "coder-1" || a.Dir != "/d" || a.Tool != "Bash" || string(a.Input) != "{}" {
			t.Errorf("asked about %+v", a)
		}
	}
	for tool, want := range map[string]bool{"x__dispatch": true, "TodoWrite": true, "Bash": false, "dispatcher": false} {
		if r.Keep(transcript.Call{Tool: tool}) != want {
			t.Errorf("%s: %v", tool, !want)
		}
	}
	if r := (Options{}).Reading("", ours); r.Expires != nil || r.Point != nil {
		t.Error("nobody was asked, and yet something is left out")
	}
}
