package document

import "strings"

// A Handoff is what a session whose context is full leaves to its successor.
// Doing and Next are needed; asking for more would invite invention.
type Handoff struct {
	Doing    string // where the work stands
	Decided  string // and why
	DeadEnds string // and why not
	Next     string // can be done at once
	Scene    string // paths, not contents
}

var handoffTitles = []string{"Doing now", "Decided", "Dead ends", "Next step", "Scene"}

// degradedMarks begin the first section of a handoff that no session wrote.
var degradedMarks = []string{"[degraded: the handoff was not written]", "[降级:交接没写成]", "[降级：交接没写成]"}

// sceneLimit is how many characters of the task a mechanical handoff repeats
// (spec/surface.md 6.13).
const sceneLimit = 1200

// ParseHandoff reads a handoff, as written or as edited by a person.
func ParseHandoff(text string) Handoff {
	o := handoffGrammar.read(text)
	return Handoff{Doing: o.first(0), Decided: o.first(1), DeadEnds: o.first(2), Next: o.first(3), Scene: o.first(4)}
}

// DegradedHandoff is built when the session could not write its own: it says why
// and sends the successor to look. It is complete, and Degraded.
func DegradedHandoff(step, why, task string) Handoff {
	task = strings.TrimSpace(Clean(task))
	if runes := []rune(task); len(runes) > sceneLimit {
		task = strings.TrimSpace(string(runes[:sceneLimit]))
	}
	return Handoff{
		Doing: degradedMarks[0] + " Step '" + OneLine(step) + "': " + OneLine(why) + ".",
		Next: "Look at the scene before anything else: the notes and results on the bench, git status, git log. " +
			"Do not assume that nothing was done.",
		Scene: strings.TrimSpace("The task began with:\n\n" + task),
	}
}

// Missing names the needed sections that are empty.
func (h Handoff) Missing() []string {
	return missing([]string{handoffTitles[0], handoffTitles[3]}, h.Doing, h.Next)
}

// Degraded reports whether no session wrote this handoff.
func (h Handoff) Degraded() bool {
	for _, mark := range degradedMarks {
		if strings.Contains(h.Doing, mark) {
			return true
		}
	}
	return false
}

// String prints the handoff.
func (h Handoff) String() string {
	w := newWriter(handoffGrammar, handoffTitles)
	for i, body := range []string{h.Doing, h.Decided, h.DeadEnds, h.Next, h.Scene} {
		w.section(i, body)
	}
	return w.String()
}
