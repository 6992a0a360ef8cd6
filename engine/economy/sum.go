package economy

import "slices"

// fallBelow is what part of the turn before a context must be smaller than to
// count as a fall.
const fallBelow = 0.7

// Report sums up.
func (m *Meter) Report() Report {
	r := Report{Run: m.run, Unrecorded: m.unrecorded, Sessions: []Session{}, Roles: []Part{}, Missing: []string{}, Total: newPart("")}
	for _, s := range m.inOrder() {
		s.Falls = Falls(s.Curve)
		r.Sessions = append(r.Sessions, s.Session)
		r.part(s.Role).take(s.Session)
		total := s.Session
		if s.Held == nil && s.Role == oracle {
			total.Held = newHeld()
		} else if s.Held == nil {
			r.Missing = append(r.Missing, s.ID)
		}
		r.Total.take(total)
	}
	r.Main = r.main()
	r.Workers = spread(r.of(worker))
	if held := r.held(worker); held != nil || len(r.of(worker)) == 0 {
		r.Scripts = m.scripts.report()
	}
	return r
}

// Falls are the turns, from 1, whose context is much smaller than the one
// before: a new beginning, or a part that was dropped.
func Falls(curve []Point) []int {
	var at []int
	for i := 1; i < len(curve); i++ {
		if float64(curve[i].Tokens) < fallBelow*float64(curve[i-1].Tokens) {
			at = append(at, i+1)
		}
	}
	return at
}

func newPart(role string) Part { return Part{Role: role, Held: newHeld()} }

// part is the sum for a role, made when there is none.
func (r *Report) part(role string) *Part {
	i := slices.IndexFunc(r.Roles, func(p Part) bool { return p.Role == role })
	if i < 0 {
		i = len(r.Roles)
		r.Roles = append(r.Roles, newPart(role))
	}
	return &r.Roles[i]
}

func (p *Part) take(s Session) {
	p.Sessions++
	p.Billed.add(s.Billed)
	switch {
	case s.Held == nil:
		p.Held = nil
	case p.Held != nil:
		p.Held.add(*s.Held)
	}
}

func (r Report) of(role string) []Session {
	return slices.DeleteFunc(slices.Clone(r.Sessions), func(s Session) bool { return s.Role != role })
}

// held is what a role's transcripts say; nil: one is missing, or there is none.
func (r Report) held(role string) *Held {
	for _, p := range r.Roles {
		if p.Role == role {
			return p.Held
		}
	}
	return nil
}

func (r Report) billed(role string) Billed {
	for _, p := range r.Roles {
		if p.Role == role {
			return p.Billed
		}
	}
	return Billed{}
}

func (r Report) main() Main {
	own, theirs := r.billed(coordinator), r.billed(worker)
	m := Main{
		OutRequests: share(int64(theirs.Requests), int64(own.Requests+theirs.Requests)),
		Hits:        share(own.Read, own.Input+own.Read+own.Written),
		Growth:      growth(r.of(coordinator)),
	}
	if of, w := r.held(coordinator), r.held(worker); of != nil && w != nil {
		m.OutCharacters = share(int64(w.Characters), int64(of.Characters+w.Characters))
		m.OutTurns = share(int64(w.Turns), int64(of.Turns+w.Turns))
		m.OutRows = share(int64(w.Rows), int64(of.Rows+w.Rows))
		m.Hidden = share(int64(w.Calls), int64(of.Tasks))
	}
	return m
}

// growth is how many tokens a context grew with each turn: over all sessions,
// from the first of its turns to the last. A session is a context of its own, so
// what lies between two of them is no growth.
func growth(sessions []Session) *float64 {
	var tokens, turns int64
	for _, s := range sessions {
		if s.Held == nil {
			return nil
		}
		if n := len(s.Curve); n > 1 {
			tokens += s.Curve[n-1].Tokens - s.Curve[0].Tokens
			turns += int64(n - 1)
		}
	}
	return share(tokens, turns)
}

func spread(sessions []Session) Spread {
	var output []int64
	for _, s := range sessions {
		output = append(output, s.Billed.Output)
	}
	if len(output) == 0 {
		return Spread{}
	}
	slices.Sort(output)
	n := len(output)
	return Spread{Sessions: n, Smallest: output[0], Median: output[(n-1)/2], Largest: output[n-1]}
}
