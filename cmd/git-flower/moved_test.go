package main

import (
	"strings"
	"testing"

	"git-flower/gitstate"
)

func TestMovedWords(t *testing.T) {
	tip, base := gitstate.ObjectID(strings.Repeat("a", 40)), gitstate.ObjectID(strings.Repeat("b", 40))
	doc := func(k gitstate.Kind, n int, m gitstate.Meta) gitstate.Doc {
		return gitstate.Doc{Kind: k, Counter: n, Meta: m}
	}
	request := doc(gitstate.KindRequest, 1, gitstate.Meta{})
	limited := doc(gitstate.KindRequest, 1, gitstate.Meta{Options: []gitstate.Option{{Name: "rounds", Value: "5"}}})
	main := doc(gitstate.KindSession, 2, gitstate.Meta{Machine: "there"})
	worker := doc(gitstate.KindSession, 3, gitstate.Meta{Machine: "there", Worker: "coder-1", Code: base})
	report := doc(gitstate.KindReport, 5, gitstate.Meta{Worker: "coder-1"})
	back := doc(gitstate.KindSession, 6, gitstate.Meta{Machine: "here"})
	for name, c := range map[string]struct {
		docs       []gitstate.Doc
		work       map[string]gitstate.ObjectID
		want, lack []string
	}{
		"nothing was said yet":   {docs: []gitstate.Doc{request}},
		"it came back":           {docs: []gitstate.Doc{request, main, worker, back}},
		"a conversation only":    {[]gitstate.Doc{request, main}, nil, []string{"another machine"}, []string{"coder-1", "options "}},
		"limits of its own":      {[]gitstate.Doc{limited, main}, nil, []string{"options   rounds=5"}, nil},
		"a worker, nothing kept": {[]gitstate.Doc{request, main, worker}, nil, []string{"coder-1", "starts again at " + base.Short()}, nil},
		"a worker with a tree": {[]gitstate.Doc{request, main, worker}, map[string]gitstate.ObjectID{"coder-1": tip},
			[]string{"refs/flower/work/odd/coder-1 (" + tip.Short() + ")"}, []string{"starts again"}},
		"a worker that reported": {[]gitstate.Doc{request, main, worker, report}, map[string]gitstate.ObjectID{"coder-1": tip}, []string{"another machine"}, []string{"coder-1"}},
	} {
		got := movedWords(gitstate.History{Name: "odd", Docs: c.docs, Work: c.work}, "here")
		if (got == "") != (len(c.want) == 0) {
			t.Errorf("%s: %q", name, got)
		}
		has(t, got, c.want...)
		for _, lack := range c.lack {
			if strings.Contains(got, lack) {
				t.Errorf("%s: '%s' is in %q", name, lack, got)
			}
		}
	}
}
