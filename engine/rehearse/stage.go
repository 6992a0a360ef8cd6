package rehearse

import (
	"fmt"
	"regexp"
	"strings"
)

// A stage is a scene with the conversation that it fits: what a template sees.
type stage struct {
	c        *conversation
	scene    *scene
	captures map[string]string
	since    int // turn of the conversation that the scene counts from, -1 for its start
	number   int // of the scene's turn, from 0
	overall  int // answers in the whole conversation
	cut      int // answers cut off just before
}

// stage finds the first scene that fits.
func (s *Script) stage(c *conversation) (*stage, error) {
	for _, sc := range append(s.scenes[:len(s.scenes):len(s.scenes)], s.fallback) {
		if sc == nil {
			continue
		}
		st := &stage{c: c, scene: sc, captures: map[string]string{}, since: -1}
		if !st.fits() {
			continue
		}
		st.number, _ = c.answers(st.since)
		st.overall, st.cut = c.answers(-1)
		if st.number >= len(sc.turns) && sc.repeat {
			st.number = len(sc.turns) - 1
		}
		if st.number >= len(sc.turns) {
			return nil, fmt.Errorf("'%s' has no turn %d: %s", sc.name, st.number+1, c.describe())
		}
		return st, nil
	}
	return nil, fmt.Errorf("no scene fits: %s", c.describe())
}

func (st *stage) fits() bool {
	sc, c := st.scene, st.c
	for _, name := range sc.tools {
		if _, offered := toolNamed(c.tools, name); !offered {
			return false
		}
	}
	for _, name := range sc.without {
		if _, offered := toolNamed(c.tools, name); offered {
			return false
		}
	}
	whole := c.whole()
	return st.match(sc.system, c.system) && st.match(sc.model, c.model) && st.match(sc.first, c.opening) &&
		st.match(sc.last, c.lastText()) && st.match(sc.any, whole) && !anyMatch(sc.not, whole) && st.begins()
}

// begins finds the last user message that since matches.
func (st *stage) begins() bool {
	if st.scene.since == nil {
		return true
	}
	for i := len(st.c.turns) - 1; i >= 0; i-- {
		if st.c.turns[i].role == "user" && st.match(patterns{st.scene.since}, st.c.texts[i]) {
			st.since = i
			return true
		}
	}
	return false
}

// match says whether all patterns match and keeps their named groups.
func (st *stage) match(all patterns, s string) bool {
	for _, re := range all {
		m := re.FindStringSubmatch(s)
		if m == nil {
			return false
		}
		for i, name := range re.SubexpNames() {
			if name != "" {
				st.captures[name] = m[i]
			}
		}
	}
	return true
}

func anyMatch(all []*regexp.Regexp, s string) bool {
	for _, re := range all {
		if re.MatchString(s) {
			return true
		}
	}
	return false
}

// choose finds the alternative of the turn that the conversation calls for.
func (st *stage) choose() (*reply, error) {
	t := &st.scene.turns[st.number]
	for i := range t.choices {
		if t.choices[i].cond == nil || st.holds(t.choices[i].cond) {
			return &t.choices[i].reply, nil
		}
	}
	return nil, t.at.fail("no alternative fits: %s", st.c.describe())
}

func (st *stage) holds(c *condition) bool {
	var text []string
	failed, found := false, false
	for _, r := range st.c.lastResults() {
		if c.tool != "" && !st.c.means(c.tool, r.Tool) {
			continue
		}
		found = true
		failed = failed || r.Failed
		text = append(text, r.Text)
	}
	if (c.tool != "" || c.failed != nil || len(c.result) > 0) && !found {
		return false
	}
	if c.failed != nil && *c.failed != failed {
		return false
	}
	whole := st.c.whole()
	return st.match(c.result, strings.Join(text, "\n")) && st.match(c.last, st.c.lastText()) &&
		st.match(c.any, whole) && !anyMatch(c.not, whole)
}

// data is the dot of templates.
func (st *stage) data() map[string]any {
	return map[string]any{
		"cap": st.captures, "results": st.c.results, "system": st.c.system, "model": st.c.model, "tools": st.c.tools,
		"first": st.c.opening, "last": st.c.lastText(), "turn": st.number + 1, "scene": st.scene.name,
	}
}

// result is the text of the newest result of a tool.
func (st *stage) result(tool string) (string, error) {
	for i := len(st.c.results) - 1; i >= 0; i-- {
		if st.c.means(tool, st.c.results[i].Tool) {
			return st.c.results[i].Text, nil
		}
	}
	return "", fmt.Errorf("no result of '%s' so far", tool)
}

// describe names a request so that the author of a script finds it.
func (c *conversation) describe() string {
	n, _ := c.answers(-1)
	return fmt.Sprintf("system %s, tools [%s], answer %d, first %s, last %s",
		short(c.system), strings.Join(c.tools, " "), n+1, short(c.opening), short(c.lastText()))
}

// short quotes the beginning of a text; of a system prompt the line with the role is shown.
func short(s string) string {
	const most = 80
	if m := regexp.MustCompile(`(?m)^Role: .*$`).FindString(s); m != "" {
		s = m
	}
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return "'" + s + "'"
}
