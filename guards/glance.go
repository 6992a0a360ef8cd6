package guards

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// longest is the longest command that is parsed, in bytes. Parsing takes 26 µs
// for an ordinary command, but seconds for a hundred thousand brackets.
const longest = 16 << 10

// Glance judges whether a shell command only looks. It returns the command as
// printed from its syntax tree, which is the text to run and to show; when ok is
// false, reason tells the model what stands in the way. Where it passes, POSIX
// shells and bash read the printed text alike.
func Glance(cmd string) (printed string, ok bool, reason string) {
	defer func() {
		if r := recover(); r != nil {
			printed, ok, reason = "", false, refusal("the command could not be read (%v)", r)
		}
	}()
	if why := unreadable(cmd); why != "" {
		return "", false, refusal("%s", why)
	}
	printed, why := normalize(cmd)
	if why != "" {
		return "", false, refusal("%s", why)
	}
	file, err := parse(printed)
	if err != nil {
		return "", false, refusal("%v", err)
	}
	var g glancer
	g.stmts(file.Stmts)
	if g.why == "" && !g.looked {
		g.why = "it looks at nothing"
	}
	if g.why != "" {
		return "", false, refusal("%s", g.why)
	}
	return printed, true, ""
}

// refusal ends with the way out.
func refusal(format string, args ...any) string {
	return "this is no glance: " + fmt.Sprintf(format, args...) +
		". Looks such as 'git status', 'git log --oneline -5', 'ls -l DIR' or 'cat FILE | head' pass, joined by && || ; |" +
		" and without expansions; everything else is work for a worker"
}

// unreadable finds what a shell, a parser and a person reading would take for
// different things.
func unreadable(cmd string) string {
	if len(cmd) > longest {
		return fmt.Sprintf("it is longer than %d bytes", longest)
	}
	if !utf8.ValidString(cmd) {
		return "it is not valid UTF-8"
	}
	for _, r := range cmd {
		blank := r == ' ' || r == '\t' || r == '\n'
		if !blank && (unicode.IsControl(r) || unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp)) {
			return fmt.Sprintf("it holds the invisible character %U", r)
		}
	}
	return ""
}

// normalize prints the command from its tree, twice, and insists that the second
// print says the same. A comment that swallowed a line break is where the parser
// saw less than the shell would.
func normalize(cmd string) (printed, why string) {
	file, err := parse(cmd)
	if err != nil {
		return "", err.Error()
	}
	printed, err = print(file)
	if err != nil {
		return "", err.Error()
	}
	again, err := parse(printed)
	if err != nil {
		return "", err.Error()
	}
	twice, err := print(again)
	if err != nil || twice != printed {
		return "", "it reads differently when it is written out"
	}
	if brokenComment(cmd) {
		return "", "a comment ends in a backslash"
	}
	return printed, ""
}

func parse(cmd string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(cmd), "command")
}

func print(file *syntax.File) (string, error) {
	var out bytes.Buffer
	err := syntax.NewPrinter().Print(&out, file)
	return strings.TrimSuffix(out.String(), "\n"), err
}

func brokenComment(cmd string) bool {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(cmd), "command")
	if err != nil {
		return true
	}
	broken := false
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok && strings.ContainsAny(c.Text, "\\\n") {
			broken = true
		}
		return !broken
	})
	return broken
}

// A glancer walks a tree and stops at the first thing that it does not know to
// be harmless.
type glancer struct {
	why    string
	looked bool // something was looked at
	moved  bool // the directory is another one by now
}

func (g *glancer) refuse(format string, args ...any) {
	if g.why == "" {
		g.why = fmt.Sprintf(format, args...)
	}
}

func (g *glancer) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		g.stmt(s)
	}
}

func (g *glancer) stmt(s *syntax.Stmt) {
	if s.Background || s.Coprocess || s.Disown {
		g.refuse("'&' leaves something running")
		return
	}
	for _, r := range s.Redirs {
		g.redirect(r)
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		g.call(cmd)
	case *syntax.BinaryCmd:
		g.binary(cmd)
	case *syntax.Block:
		g.stmts(cmd.Stmts)
	case *syntax.Subshell:
		g.stmts(cmd.Stmts)
	default:
		g.refuse("%s is not a plain command", kind(s.Cmd))
	}
}

// kind names a type of node for people: "ForClause".
func kind(n syntax.Node) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", n), "*syntax.")
}

func (g *glancer) binary(b *syntax.BinaryCmd) {
	switch b.Op {
	case syntax.AndStmt, syntax.OrStmt, syntax.Pipe:
		g.stmt(b.X)
		g.stmt(b.Y)
	default:
		g.refuse("'%s' does not mean the same in every shell", b.Op)
	}
}

// redirect allows what goes nowhere, or to where another descriptor goes.
func (g *glancer) redirect(r *syntax.Redirect) {
	from := ""
	if r.N != nil {
		from = r.N.Value
	}
	to, why := literal(r.Word)
	if why != "" {
		g.refuse("%s", why)
		return
	}
	standard := from == "" || from == "1" || from == "2"
	switch {
	case r.Op == syntax.DplOut && standard && (to.text == "1" || to.text == "2"):
	case (r.Op == syntax.RdrOut || r.Op == syntax.AppOut) && standard && to.text == "/dev/null":
	case r.Op == syntax.RdrIn && from == "" && !to.glob && command{contents: true}.place("<", to) == "":
	default:
		g.refuse("only 2>&1, >/dev/null and <FILE are redirected, not '%s%s%s'", from, r.Op, to.text)
	}
}

func (g *glancer) call(c *syntax.CallExpr) {
	if len(c.Assigns) > 0 || len(c.Args) == 0 {
		g.refuse("variables are not set for a look")
		return
	}
	words := make([]word, len(c.Args))
	for i, w := range c.Args {
		var why string
		if words[i], why = literal(w); why != "" {
			g.refuse("%s", why)
			return
		}
	}
	name := words[0]
	if !name.plain {
		g.refuse("the command's name '%s' must be written plainly", name.text)
		return
	}
	if name.text == "git" && g.moved {
		g.refuse("git after cd would trust another directory's configuration; name the path instead: 'git log -- PATH'")
		return
	}
	known, ok := commands[name.text]
	if !ok {
		g.refuse("'%s' is not on the list of commands that only look", name.text)
		return
	}
	if why := known.judge(name.text, words[1:]); why != "" {
		g.refuse("%s", why)
	}
	g.looked = g.looked || !known.idle
	g.moved = g.moved || name.text == "cd"
}
