package rehearse

import (
	"regexp"
	"strings"
	"time"
)

// A reader turns nodes into the script and keeps the first error, so that
// reading is a plain list of fields.
type reader struct{ err error }

func (r *reader) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

// with calls read on a field that is there, unless something failed before.
func (r *reader) with(f map[string]node, name string, read func(node)) {
	if n, ok := f[name]; ok && r.err == nil {
		read(n)
	}
}

func (r *reader) fields(n node, known ...string) map[string]node {
	f, err := n.fields(known...)
	r.keep(err)
	return f
}

func (r *reader) items(n node) []node {
	items, err := n.items()
	if err == nil && len(items) == 0 {
		err = n.fail("must not be empty")
	}
	r.keep(err)
	return items
}

func (r *reader) words(n node) string {
	s, err := n.text()
	r.keep(err)
	return s
}

func (r *reader) list(n node) []string {
	l, err := n.texts()
	r.keep(err)
	return l
}

func (r *reader) flag(n node) bool {
	b, err := n.truth()
	r.keep(err)
	return b
}

func (r *reader) number(n node, least, most int64) int64 {
	i, err := n.number(least, most)
	r.keep(err)
	return i
}

func (r *reader) wait(n node) time.Duration {
	d, err := n.duration()
	r.keep(err)
	return d
}

// regexps reads one pattern or a list, all of which must match.
func (r *reader) regexps(n node) patterns {
	nodes, err := n.oneOrMore()
	r.keep(err)
	var out patterns
	for _, item := range nodes {
		out = append(out, r.regexp(item))
	}
	return out
}

func (r *reader) regexp(n node) *regexp.Regexp {
	re, err := regexp.Compile(r.words(n))
	if err != nil {
		r.keep(n.fail("%s", strings.TrimPrefix(err.Error(), "error parsing regexp: ")))
		return nil
	}
	return re
}

func (r *reader) models(n node) map[string]model {
	out := map[string]model{}
	all, err := n.entries()
	r.keep(err)
	for _, e := range all {
		f := r.fields(e.value, "window", "max_output")
		m := model{id: e.key}
		r.with(f, "window", func(n node) { m.window = r.number(n, 1, 1<<40) })
		r.with(f, "max_output", func(n node) { m.maxOutput = r.number(n, 1, 1<<40) })
		out[e.key] = m
	}
	return out
}

func (r *reader) scene(n node) *scene {
	s := &scene{}
	f := r.fields(n, "name", "who", "what", "since", "turns", "repeat")
	r.with(f, "name", func(n node) { s.name = r.words(n) })
	r.with(f, "who", func(n node) { r.who(s, n) })
	r.with(f, "what", func(n node) { r.what(s, n) })
	r.with(f, "since", func(n node) { s.since = r.regexp(n) })
	r.with(f, "repeat", func(n node) { s.repeat = r.flag(n) })
	r.with(f, "turns", func(n node) {
		for _, item := range r.items(n) {
			s.turns = append(s.turns, r.turn(item))
		}
	})
	if _, ok := f["turns"]; !ok && r.err == nil {
		r.keep(n.fail("needs turns"))
	}
	return s
}

func (r *reader) who(s *scene, n node) {
	f := r.fields(n, "system", "model", "tools", "without")
	r.with(f, "system", func(n node) { s.system = r.regexps(n) })
	r.with(f, "model", func(n node) { s.model = r.regexps(n) })
	r.with(f, "tools", func(n node) { s.tools = r.list(n) })
	r.with(f, "without", func(n node) { s.without = r.list(n) })
}

func (r *reader) what(s *scene, n node) {
	f := r.fields(n, "first", "last", "any", "not")
	r.with(f, "first", func(n node) { s.first = r.regexps(n) })
	r.with(f, "last", func(n node) { s.last = r.regexps(n) })
	r.with(f, "any", func(n node) { s.any = r.regexps(n) })
	r.with(f, "not", func(n node) { s.not = r.regexps(n) })
}

// distinct names the scenes that have no name and refuses two of one name.
func (r *reader) distinct(root node, scenes []*scene) {
	seen := map[string]bool{"fallback": true}
	for i, s := range scenes {
		if s.name == "" {
			s.name = sceneNumber(i)
		}
		if seen[s.name] {
			r.keep(root.fail("two scenes are called '%s'", s.name))
		}
		seen[s.name] = true
	}
}
