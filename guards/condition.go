package guards

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Operators of test with one and with two operands. -v is missing: what stands
// in the subscript of its operand is run.
var (
	unary  = strings.Fields("-b -c -d -e -f -g -h -k -L -n -N -O -G -p -r -s -S -t -u -w -x -z")
	binary = strings.Fields("= == != -nt -ot -ef -eq -ne -lt -le -gt -ge")
)

func bracket(g *glancer, c *syntax.CallExpr, name string, args []word) string {
	if len(args) == 0 || args[len(args)-1].text != "]" {
		return "'[' without ']'"
	}
	return test(g, c, name, args[:len(args)-1])
}

// test reads its words by their number, so that an operand may be unknown.
func test(_ *glancer, _ *syntax.CallExpr, name string, args []word) string {
	for _, a := range args {
		if a.free {
			return fmt.Sprintf("put \"…\" around '%s'", shown(a.text))
		}
	}
	rest := args
	for len(rest) > 4 {
		at := slices.IndexFunc(rest, func(a word) bool { return a.known() && (a.text == "-a" || a.text == "-o") })
		if at < 0 || slices.ContainsFunc(rest, func(a word) bool { return !a.known() }) {
			return fmt.Sprintf("'%s' has too many words; join several with && or ||", name)
		}
		if why := condition(name, rest[:at]); why != "" {
			return why
		}
		rest = rest[at+1:]
	}
	return condition(name, rest)
}

func condition(name string, args []word) string {
	is := func(i int, list []string) bool { return args[i].known() && slices.Contains(list, args[i].text) }
	switch {
	case len(args) == 1:
		return ""
	case len(args) == 2 && (is(0, unary) || is(0, []string{"!"})):
		return ""
	case len(args) == 3 && is(1, binary):
		return ""
	case len(args) == 3 && is(0, []string{"!"}) && is(1, unary):
		return ""
	case len(args) == 4 && is(0, []string{"!"}) && is(2, binary):
		return ""
	}
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = shown(a.text)
	}
	return fmt.Sprintf("'%s %s' is not known to only look; forms such as [ -f FILE ], [ -n \"$x\" ] and [ \"$x\" = y ] do", name, strings.Join(texts, " "))
}

// testClause judges [[ … ]]. Shells without it take it for a command, and what
// follows '&&', '<' or '|' in it for their own.
func (g *glancer) testClause(t *syntax.TestClause) {
	g.testExpr(t.X)
	g.looked = true
}

func (g *glancer) testExpr(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		g.operand(x)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar || x.Op == syntax.TsOptSet || x.Op == syntax.TsParen {
			g.refuse("'%s' in [[ … ]] evaluates its operand", x.Op)
			return
		}
		g.testExpr(x.X)
	case *syntax.BinaryTest:
		g.binaryTest(x)
	default:
		g.refuse("brackets in [[ … ]] are not known to every shell; join several [[ … ]] with && or ||")
	}
}

// matchable is an unquoted pattern that no shell takes apart.
var matchable = like(`^[\w./*?^$+:@%=-]*$`)

func (g *glancer) binaryTest(x *syntax.BinaryTest) {
	left, ok := x.X.(*syntax.Word)
	right, also := x.Y.(*syntax.Word)
	if !ok || !also {
		g.refuse("'%s' in [[ … ]] is not known to every shell; join several [[ … ]] with && or ||", x.Op)
		return
	}
	switch x.Op {
	case syntax.TsMatchShort, syntax.TsMatch, syntax.TsNoMatch, syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno, syntax.TsReMatch:
		g.operand(left)
		g.operand(right)
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		if !g.number(left) || !g.number(right) {
			g.refuse("'%s' in [[ … ]] evaluates what a variable holds; use [ \"$x\" %s 1 ]", x.Op, x.Op)
		}
	default:
		g.refuse("'%s' in [[ … ]] is not known to every shell", x.Op)
	}
}

func (g *glancer) operand(w *syntax.Word) {
	g.words(w)
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && !matchable(lit.Value) {
			g.refuse("put '%s' into quotes", lit.Value)
		}
	}
}
