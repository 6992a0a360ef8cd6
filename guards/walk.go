package guards

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// mostSteps is how many statements and words are judged of one command, longer
	// words counting as several; loops over written-out words are judged once for
	// each. It takes 20 ms or so, and 100 ms when all of it is text of awk's.
	mostSteps = 10000
	// stepBytes are the bytes of a word that count as one step more.
	stepBytes = 4
	// mostItems is how many written-out words of a loop are told apart.
	mostItems = 100
)

// A glancer walks a tree and stops at the first thing that it does not know to
// be harmless. What the tree is made of is known by type of node: what is not
// named here is refused.
type glancer struct {
	root    string // the checkout, empty when it is not known
	tables  []map[string]command
	seen    func([]word) // told the words of every program; may be nil
	why     string
	secrets []secret
	looked  bool // something was looked at
	changed bool // the tree is another one than was read
	steps   int
	looping int // loops around what is judged
	state
}

// A state is what a shell knows as it runs. A subshell has its own.
type state struct {
	vars map[string]string // variables that the command sets, as text with holes
	dirs []string          // where the shell may be by now
}

func newGlancer(root string, tables []map[string]command) *glancer {
	return &glancer{root: root, tables: tables, state: state{dirs: []string{"."}}}
}

// known is what the tables say of a command; nothing is the zero value.
func (g *glancer) known(name string) command {
	c, _ := g.lookUp(name)
	return c
}

func (g *glancer) lookUp(name string) (command, bool) {
	for _, t := range g.tables {
		if c, ok := t[name]; ok {
			return c, true
		}
	}
	return command{}, false
}

func (g *glancer) refuse(format string, args ...any) {
	if g.why == "" {
		g.why = fmt.Sprintf(format, args...)
	}
}

// spend counts a step that goes through so many bytes, and reports whether to go on.
func (g *glancer) spend(bytes int) bool {
	if g.steps += 1 + bytes/stepBytes; g.steps > mostSteps {
		g.refuse("it is too long to be judged")
	}
	return g.why == ""
}

func (g *glancer) file(f *syntax.File) {
	g.stmts(f.Stmts)
	if g.why == "" && !g.looked {
		g.refuse("it looks at nothing")
	}
}

func (g *glancer) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		g.stmt(s)
	}
}

func (g *glancer) stmt(s *syntax.Stmt) {
	if !g.spend(0) {
		return
	}
	if s.Background || s.Coprocess || s.Disown {
		g.refuse("'&' leaves something running; join commands with && or ;")
		return
	}
	g.redirects(s)
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		g.call(cmd)
	case *syntax.BinaryCmd:
		g.binary(s, cmd)
	case *syntax.Block:
		g.stmts(cmd.Stmts)
	case *syntax.Subshell:
		g.subshell(cmd.Stmts)
	case *syntax.IfClause:
		g.ifClause(cmd)
	case *syntax.ForClause:
		g.forClause(cmd)
	case *syntax.WhileClause:
		g.whileClause(cmd)
	case *syntax.CaseClause:
		g.caseClause(cmd)
	case *syntax.TestClause:
		g.testClause(cmd)
	case *syntax.TimeClause:
		g.timeClause(cmd)
	case nil:
		g.refuse("a redirection without a command makes a file")
	default:
		g.refuse("%s", unlisted(s.Cmd))
	}
}

// unlisted says what a type of node is that is not on the list.
func unlisted(n syntax.Node) string {
	names := map[string]string{
		"FuncDecl": "a function can hide any command behind a harmless name", "ArithmCmd": "'((…))' evaluates what it finds in variables",
		"LetClause": "'let' evaluates what it finds in variables", "DeclClause": "a look needs no declarations, write NAME=value",
		"CoprocClause": "'coproc' leaves something running", "ExtGlob": "write a plain pattern such as '*.go'",
	}
	kind := strings.TrimPrefix(fmt.Sprintf("%T", n), "*syntax.")
	if said, ok := names[kind]; ok {
		return said
	}
	return kind + " is not known to only look"
}

func (g *glancer) binary(s *syntax.Stmt, b *syntax.BinaryCmd) {
	if b.Op == syntax.PipeAll {
		both := &syntax.Redirect{N: &syntax.Lit{Value: "2"}, Op: syntax.DplOut, Word: litWord("1")}
		b.X.Redirs, b.Op, g.changed = append(b.X.Redirs, both), syntax.Pipe, true
	}
	switch b.Op {
	case syntax.AndStmt, syntax.OrStmt:
		g.stmt(b.X)
		g.branch(func() { g.stmt(b.Y) })
	case syntax.Pipe:
		g.subshell([]*syntax.Stmt{b.X})
		g.subshell([]*syntax.Stmt{b.Y})
	default:
		g.refuse("'%s' does not mean the same in every shell", b.Op)
	}
}

// subshell judges commands whose variables and directory end with them.
func (g *glancer) subshell(list []*syntax.Stmt) {
	before := state{vars: maps.Clone(g.vars), dirs: slices.Clone(g.dirs)}
	g.stmts(list)
	g.state = before
}

// branch judges what may not run: what it sets is not known afterwards.
func (g *glancer) branch(run func()) {
	before := maps.Clone(g.vars)
	run()
	for name, value := range g.vars {
		if old, ok := before[name]; !ok || old != value {
			g.vars[name] = anything
		}
	}
}

func (g *glancer) ifClause(c *syntax.IfClause) {
	g.stmts(c.Cond)
	g.branch(func() { g.stmts(c.Then) })
	if c.Else != nil {
		g.branch(func() { g.elseClause(c.Else) })
	}
}

// elseClause is an 'elif', or an 'else', which has no condition.
func (g *glancer) elseClause(c *syntax.IfClause) {
	if len(c.Cond) == 0 {
		g.stmts(c.Then)
		return
	}
	g.ifClause(c)
}

func (g *glancer) forClause(f *syntax.ForClause) {
	iter, ok := f.Loop.(*syntax.WordIter)
	if !ok || f.Select || f.Braces || !iter.InPos.IsValid() {
		g.refuse("of loops only 'for NAME in WORDS', and 'while read' are known")
		return
	}
	if why := settable(iter.Name.Value); why != "" {
		g.refuse("%s", why)
		return
	}
	items := g.items(iter.Items)
	if g.why != "" {
		return
	}
	g.loop(func() {
		for _, item := range items {
			g.set(iter.Name.Value, item)
			g.stmts(f.Do)
		}
	})
	g.set(iter.Name.Value, anything)
}

// items are the values that a loop goes through.
func (g *glancer) items(words []*syntax.Word) []string {
	var items []string
	for _, w := range words {
		for _, item := range g.words(w) {
			if value := item.matches(); !slices.Contains(items, value) {
				items = append(items, value)
			}
		}
	}
	if len(items) > mostItems {
		return []string{anything}
	}
	return items
}

// loop judges a body until what it sets for its next round is known.
func (g *glancer) loop(body func()) {
	g.looping++
	g.branch(func() {
		for g.why == "" {
			before := state{vars: maps.Clone(g.vars), dirs: g.dirs}
			body()
			if maps.Equal(before.vars, g.vars) && len(before.dirs) == len(g.dirs) {
				return
			}
		}
	})
	g.looping--
}

// whileClause knows loops that read to the end of their input.
func (g *glancer) whileClause(w *syntax.WhileClause) {
	if w.Until || len(w.Cond) != 1 || w.Cond[0].Negated || len(w.Cond[0].Redirs) > 0 || !isRead(w.Cond[0].Cmd) {
		g.refuse("this loop might never end; 'while read -r LINE; do …; done' ends with its input")
		return
	}
	g.loop(func() {
		g.stmts(w.Cond)
		g.stmts(w.Do)
	})
}

func isRead(c syntax.Command) bool {
	call, ok := c.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && call.Args[0].Lit() == "read"
}

func (g *glancer) caseClause(c *syntax.CaseClause) {
	g.words(c.Word)
	for _, item := range c.Items {
		if item.Op != syntax.Break {
			g.refuse("'%s' does not mean the same in every shell", item.Op)
		}
		for _, p := range item.Patterns {
			g.words(p)
		}
		g.branch(func() { g.stmts(item.Stmts) })
	}
}

func (g *glancer) timeClause(t *syntax.TimeClause) {
	if t.Stmt == nil {
		g.refuse("'time' needs a command")
		return
	}
	g.stmt(t.Stmt)
}

// assign gives a variable a value. In a loop, one that had another may have
// either when it is read.
func (g *glancer) assign(name, value string) {
	if old, ok := g.vars[name]; ok && old != value && g.looping > 0 {
		value = anything
	}
	g.set(name, value)
}

func (g *glancer) set(name, value string) {
	if g.vars == nil {
		g.vars = map[string]string{}
	}
	g.vars[name] = value
}

// enter changes the directory. The change can fail, so the shell may still be
// where it was.
func (g *glancer) enter(dir string) {
	for _, d := range slices.Clone(g.dirs) {
		next := join(d, dir)
		if !slices.Contains(g.dirs, next) {
			g.dirs = append(g.dirs, next)
		}
	}
	if len(g.dirs) > 16 {
		g.refuse("it changes the directory too often")
	}
}

func join(dir, name string) string {
	if !path.IsAbs(name) {
		name = path.Join(dir, name)
	}
	for strings.Contains(name, found+"/"+found) {
		name = strings.ReplaceAll(name, found+"/"+found, found)
	}
	return path.Clean(name)
}
