package transcript

import "unicode/utf8"

// What is kept of long results (stores.md 5), as figures of the original.
const (
	keepLong    = 20   // newest long results that stay
	minLong     = 2000 // characters from which a result is long
	pointerSize = 700  // bytes that a pointer has about: the text's first 400 characters, a path
)

// trim finds the long results that a pointer can stand for: all but the newest,
// of tools whose results are not the session's own memory.
func (p *plan) trim(sites []*site) {
	var long []*site
	for _, s := range sites {
		if s.plain && p.edits[s.id] == nil && utf8.RuneCountInString(s.text) >= p.minLong && !p.keeps(s.call) {
			long = append(long, s)
		}
	}
	if p.point == nil {
		return
	}
	old := long[:max(0, len(long)-p.keepLong)]
	for _, s := range old {
		p.archive(s)
	}
	p.report.Kept = len(long) - len(old)
}

func (p *plan) keeps(c block) bool { return p.keep != nil && p.keep(c.asCall()) }
