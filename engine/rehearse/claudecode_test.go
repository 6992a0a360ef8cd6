package rehearse

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A captured request is one that Claude Code 2.1.332 made, with texts cut short
// and without what belongs to a machine, and what a script reads in it.
type captured struct {
	Path   string
	Header map[string]string
	First  string // what was said first
	Last   string // the end of what was said last
	Answer int    // how many answers count
	Body   map[string]any
}

func capturedRequests(t testing.TB) map[string]captured {
	files, err := filepath.Glob("testdata/claude-code/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no requests", err)
	}
	all := map[string]captured{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var c captured
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		all[strings.TrimSuffix(filepath.Base(f), ".json")] = c
	}
	return all
}

func (c captured) header() header {
	h := header{version: c.Header["anthropic-version"]}
	h.betas = strings.Split(c.Header["anthropic-beta"], ",")
	return h
}

func TestCapturedRequests(t *testing.T) {
	s := start(t, "fallback: {repeat: true, turns: [{say: fine}]}")
	for name, c := range capturedRequests(t) {
		t.Run(name, func(t *testing.T) {
			a := &ask{method: "POST", path: c.Path, header: c.Header, body: c.Body}
			a.header["x-api-key"] = s.Key()
			if g := s.do(t, a); g.status != 200 {
				t.Fatalf("%d %s", g.status, g.body)
			}
			raw, _ := json.Marshal(c.Body)
			r, refused := s.script.parseRequest(raw, c.header(), strings.Contains(c.Path, "count_tokens"))
			if refused != nil {
				t.Fatal(refused)
			}
			talk := converse(r)
			answers, _ := talk.answers(-1)
			if talk.opening != c.First || !strings.HasSuffix(talk.lastText(), c.Last) || answers != c.Answer {
				t.Errorf("first %q, last %q, %d answers", talk.opening, talk.lastText(), answers)
			}
			if strings.Contains(talk.whole(), "reminder") || strings.Contains(talk.whole(), "# Environment") {
				t.Errorf("what no person said: %q", talk.whole())
			}
		})
	}
}

// Without its betas a request of Claude Code is refused.
func TestCapturedWithoutBetas(t *testing.T) {
	s := start(t, "fallback: {repeat: true, turns: [{say: fine}]}")
	for name, c := range capturedRequests(t) {
		if name == "title" || name == "count" { // need none
			continue
		}
		a := &ask{method: "POST", path: c.Path, header: map[string]string{"anthropic-version": newest, "x-api-key": s.Key()}, body: c.Body}
		if g := s.do(t, a); g.status != 400 || !strings.Contains(string(g.body), "Extra inputs") {
			t.Errorf("%s: %d %s", name, g.status, g.body)
		}
	}
}

// Whatever becomes of such a request, it is answered or refused, and nothing panics.
func TestCapturedSpoilt(t *testing.T) {
	all := capturedRequests(t)
	names := slices.Sorted(maps.Keys(all))
	script, err := Parse([]byte(turnsScript))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := all[rapid.SampledFrom(names).Draw(t, "request")]
		var body any
		raw, _ := json.Marshal(c.Body)
		json.Unmarshal(raw, &body)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			body = spoilt(t, body)
		}
		raw, _ = json.Marshal(body)
		serveAny(t, script, raw, c.header())
	})
}

// spoilt changes something somewhere in a JSON value.
func spoilt(t *rapid.T, v any) any {
	if rapid.IntRange(0, 9).Draw(t, "here") == 0 {
		return rapid.SampledFrom([]any{nil, "", " ", "x", 0, -1.5, true, list{}, dict{}, list{nil}, "<system-reminder>", "</system-reminder>", "system", "user"}).Draw(t, "value")
	}
	switch v := v.(type) {
	case dict:
		if len(v) == 0 {
			return v
		}
		key := rapid.SampledFrom(slices.Sorted(maps.Keys(v))).Draw(t, "key")
		if rapid.IntRange(0, 4).Draw(t, "drop") == 0 {
			delete(v, key)
			return v
		}
		v[key] = spoilt(t, v[key])
		return v
	case list:
		if len(v) == 0 {
			return v
		}
		i := rapid.IntRange(0, len(v)-1).Draw(t, "at")
		switch rapid.IntRange(0, 5).Draw(t, "how") {
		case 0:
			return slices.Delete(v, i, i+1)
		case 1:
			return slices.Insert(v, i, v[i])
		case 2:
			j := rapid.IntRange(0, len(v)-1).Draw(t, "other")
			v[i], v[j] = v[j], v[i]
			return v
		}
		v[i] = spoilt(t, v[i])
		return v
	}
	return v
}
