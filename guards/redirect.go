package guards

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects allows what goes nowhere, or to where another descriptor goes, and
// files that are read. '&>/dev/null' starts a background job in shells that do
// not have it, so it is written in the older form.
func (g *glancer) redirects(s *syntax.Stmt) {
	for i := 0; i < len(s.Redirs); i++ {
		r := s.Redirs[i]
		if r.Op == syntax.RdrAll || r.Op == syntax.AppAll {
			rest := append([]*syntax.Redirect{{N: &syntax.Lit{Value: "2"}, Op: syntax.DplOut, Word: litWord("1")}}, s.Redirs[i+1:]...)
			s.Redirs = append(s.Redirs[:i+1], rest...)
			r.Op, g.changed = syntax.RdrOut, true
		}
		g.redirect(r)
	}
}

func (g *glancer) redirect(r *syntax.Redirect) {
	from := ""
	if r.N != nil {
		from = r.N.Value
	}
	if r.Hdoc != nil || r.Word == nil || len(from) > 1 || strings.Trim(from, "0123456789") != "" {
		g.refuse("only 2>&1, >/dev/null and <FILE are redirected in a look, not '%s%s'", from, r.Op)
		return
	}
	to := g.word(r.Word)
	switch r.Op {
	case syntax.DplOut, syntax.DplIn:
		if to.text == "-" || len(to.text) == 1 && to.text[0] >= '0' && to.text[0] <= '9' {
			return
		}
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob:
		if to.known() && g.nowhere(r, to.text) {
			return
		}
	case syntax.RdrIn:
		if why := (command{contents: true, safe: true}).place(g, to); why != "" {
			g.refuse("%s", why)
		}
		return
	case syntax.WordHdoc:
		return
	}
	g.refuse("'%s%s%s' writes a file; only >/dev/null and 2>&1 go nowhere", from, r.Op, shown(to.text))
}

// nowhere knows the targets that keep nothing. Opening /dev/stderr could empty
// the file that it leads to, so it is written as a descriptor.
func (g *glancer) nowhere(r *syntax.Redirect, to string) bool {
	switch to {
	case "/dev/null":
		return true
	case "/dev/stdout", "/dev/stderr":
		r.Op, g.changed = syntax.DplOut, true
		r.Word = litWord(map[string]string{"/dev/stdout": "1", "/dev/stderr": "2"}[to])
		return true
	}
	return false
}

func litWord(text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: text}}}
}

// shown is a text with holes for people.
func shown(text string) string {
	return strings.NewReplacer(anything, "…", found, "*", digits, "…").Replace(text)
}
