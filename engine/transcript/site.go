package transcript

import (
	"slices"
	"strings"

	"git-flower/engine/rawjson"
)

// A site is a result with its call, as far as the steps look at it.
type site struct {
	id     string
	turn   int // of its call
	call   block
	entry  *entry // that holds the result
	raw    []byte
	text   string
	plain  bool // text is all there is, and it may be replaced
	failed bool
}

// sites lists the results in the entries stored up to a horizon, oldest first.
func sites(turns []*turn, horizon int) []*site {
	var all []*site
	for i, t := range turns {
		calls := map[string]block{}
		for _, c := range t.calls() {
			calls[c.id] = c
		}
		for _, e := range t.results {
			if e.at > horizon {
				continue
			}
			for _, b := range e.blocks {
				if b.isResult() {
					all = append(all, newSite(i, calls[b.id], e, b))
				}
			}
		}
	}
	return all
}

func newSite(turn int, call block, e *entry, result block) *site {
	s := &site{id: result.id, turn: turn, call: call, entry: e, raw: result.raw}
	s.failed = string(rawjson.Value(result.raw, "is_error")) == "true"
	s.text, s.plain = plainText(rawjson.Value(result.raw, "content"))
	s.plain = s.plain && !e.meta && !e.summary
	return s
}

// plainText is what a result says. False: it shows something besides, or nothing.
func plainText(content []byte) (string, bool) {
	switch {
	case len(content) == 0:
		return "", false
	case content[0] == '"':
		return rawjson.Text(content), true
	case content[0] != '[':
		return "", false
	}
	var all strings.Builder
	parts := rawjson.Elements(content)
	for _, raw := range parts {
		b, _ := newBlock(raw)
		if b.kind != "text" {
			return "", false
		}
		all.WriteString(b.text)
	}
	return all.String(), len(parts) > 0
}

func (b block) asCall() Call { return Call{ID: b.id, Tool: b.name, Input: b.input} }

// replace puts a text in place of a result's. The block stays.
func (s *site) replace(text string, heals bool) {
	i := slices.IndexFunc(s.entry.blocks, func(b block) bool { return b.isResult() && b.id == s.id })
	raw := rawjson.With(s.entry.blocks[i].raw, "content", rawjson.Quoted(text))
	if heals {
		raw = rawjson.With(raw, "is_error", []byte("false"))
	}
	s.entry.blocks = slices.Clone(s.entry.blocks)
	s.entry.blocks[i].raw = raw
	s.entry.edited, s.entry.single = true, true
}
