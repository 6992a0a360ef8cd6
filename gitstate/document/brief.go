package document

// A Brief is the frozen requirement: what is wanted, how one can tell, what is
// left alone, and what was guessed. All four parts are needed.
type Brief struct {
	Goal       string // one sentence: what, and for whom
	Acceptance string // decidable conditions, one a line
	Boundaries string // what is not done
	Unknowns   string // unasked, unanswered, assumed
}

var briefTitles = []string{"Goal", "Acceptance criteria", "Boundaries", "Unknowns and assumptions"}

// ParseBrief reads a brief from what a clarifier or a person wrote.
func ParseBrief(text string) Brief {
	o := briefGrammar.read(text)
	return Brief{Goal: o.first(0), Acceptance: o.first(1), Boundaries: o.first(2), Unknowns: o.first(3)}
}

// Missing names the sections that are empty, in their order.
func (b Brief) Missing() []string {
	return missing(briefTitles, b.Goal, b.Acceptance, b.Boundaries, b.Unknowns)
}

// String prints the brief.
func (b Brief) String() string {
	w := newWriter(briefGrammar, briefTitles)
	for i, body := range []string{b.Goal, b.Acceptance, b.Boundaries, b.Unknowns} {
		w.section(i, body)
	}
	return w.String()
}
