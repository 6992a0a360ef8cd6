package guards

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// part reads a part of a word that is quoted or computed. free says that the
// shell splits what comes of it.
func (g *glancer) part(part syntax.WordPart) (text string, free bool) {
	switch p := part.(type) {
	case *syntax.SglQuoted:
		return g.single(p), false
	case *syntax.DblQuoted:
		return g.double(p), false
	case *syntax.ParamExp:
		text := g.param(p)
		return text, splits(text)
	case *syntax.CmdSubst:
		text := g.substitution(p)
		return text, splits(text)
	case *syntax.ArithmExp:
		return g.arithmetic(p), false
	case *syntax.ProcSubst:
		if p.Op != syntax.CmdIn {
			g.refuse("'%s' gives what is printed to another command; use a pipe", p.Op)
		}
		g.subshell(p.Stmts)
		return "/" + digits, false
	}
	g.refuse("%s", unlisted(part))
	return anything, true
}

// splits reports whether an unquoted value may become other words than itself.
func splits(text string) bool {
	return text == "" || strings.ContainsAny(text, anything+found+" \t\n*?[\\")
}

// single is the value of '…', and of $'…' as far as other shells read it alike
// but for the dollar.
func (g *glancer) single(q *syntax.SglQuoted) string {
	if !q.Dollar {
		return q.Value
	}
	var out strings.Builder
	for i := 0; i < len(q.Value); i++ {
		if q.Value[i] != '\\' {
			out.WriteByte(q.Value[i])
			continue
		}
		i++
		at := -1
		if i < len(q.Value) {
			at = strings.IndexByte(`tn\`, q.Value[i])
		}
		if at < 0 {
			g.refuse("$'%s' hides what it stands for; write it plainly", q.Value)
			return anything
		}
		out.WriteByte("\t\n\\"[at])
	}
	return out.String()
}

func (g *glancer) double(q *syntax.DblQuoted) string {
	if q.Dollar {
		g.refuse(`$"…" is translated; leave the dollar out`)
	}
	var out strings.Builder
	for i := 0; i < len(q.Parts); i++ {
		part := q.Parts[i]
		switch p := part.(type) {
		case *syntax.Lit:
			text := p.Value
			for i+1 < len(q.Parts) { // a dollar begins a literal of its own
				next, ok := q.Parts[i+1].(*syntax.Lit)
				if !ok {
					break
				}
				text += next.Value
				i++
			}
			out.WriteString(g.quoted(text, i == len(q.Parts)-1))
		case *syntax.ParamExp:
			out.WriteString(g.param(p))
		case *syntax.CmdSubst:
			out.WriteString(g.substitution(p))
		case *syntax.ArithmExp:
			out.WriteString(g.arithmetic(p))
		default:
			g.refuse("%s", unlisted(part))
		}
	}
	return out.String()
}

// quoted is the value of text within "…". A dollar is only a dollar at the end,
// and before what begins no name; a backslash stays before an ordinary character.
func (g *glancer) quoted(s string, last bool) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		next := byte(0)
		if i+1 < len(s) {
			next = s[i+1]
		}
		switch {
		case s[i] == '`', s[i] == '$' && next == 0 && !last, s[i] == '$' && next != 0 && strings.IndexByte(" |/,.", next) < 0:
			g.refuse("'%c' within double quotes; use single quotes", s[i])
		case s[i] == '\\' && (next == 0 || next == '\n'):
			g.refuse("a backslash within double quotes that ends a line; use single quotes")
		case s[i] == '\\' && strings.IndexByte("$`\"\\", next) >= 0:
			i++
			out.WriteByte(next)
			continue
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// ordinary text within ${…:-…} and ${…##…} is read alike by all shells.
var ordinary = like(`^[\w./*:@-]*$`)

// param is the value of $NAME or ${NAME…}. Forms that run or evaluate what the
// value holds are refused, and so are all that are new.
func (g *glancer) param(p *syntax.ParamExp) string {
	if p.Param == nil || p.Flags != nil || p.Excl || p.Width || p.IsSet || p.NestedParam != nil || p.Index != nil || len(p.Modifiers) > 0 ||
		p.Slice != nil || p.Repl != nil || p.Names != 0 || p.Split != 0 || p.GlobSubst != 0 || p.RcExpand != 0 {
		g.refuse("this form of ${…} can evaluate what a variable holds; use plain \"$NAME\"")
		return anything
	}
	value := g.variable(p.Param.Value)
	if p.Length {
		return digits
	}
	if p.Exp == nil {
		return value
	}
	operand := ""
	if p.Exp.Word != nil {
		operand = p.Exp.Word.Lit()
		if operand == "" && len(p.Exp.Word.Parts) > 0 || !ordinary(operand) {
			g.refuse("${%s…} holds more than plain text; use plain \"$NAME\"", p.Param.Value)
		}
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if value == operand {
			return value
		}
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
	default:
		g.refuse("${%s%s…} is not known to only look; use plain \"$NAME\"", p.Param.Value, p.Exp.Op)
	}
	return anything
}

// variable is what is known of a variable's value. One that the command does not
// set is the environment's, and showing it is a look.
func (g *glancer) variable(name string) string {
	if value, ok := g.vars[name]; ok {
		if !g.spend(len(value)) {
			return anything // a value that is made of itself again and again has no end
		}
		return value
	}
	switch name {
	case "?", "#", "$", "!":
		return digits
	case "PWD":
		g.looked = true
		return "."
	case "OLDPWD":
		g.looked = true
		return before
	case "HOME", "TMPDIR":
		g.looked = true
		return "/" + anything
	}
	if !variableName(name) {
		g.refuse("'$%s' is not set in a look", name)
	}
	if secretVariable(name) {
		g.secrets = append(g.secrets, secret{told: "$" + name})
	}
	g.looked = true
	return anything
}

var variableName = like(`^[A-Za-z_][A-Za-z0-9_]*$`)

// secretVariable reports whether a variable's name promises a credential.
func secretVariable(name string) bool {
	name = strings.ToUpper(name)
	for _, part := range [...]string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "APIKEY", "API_KEY", "PRIVATE_KEY", "ACCESS_KEY"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// substitution judges $(…), and says what is known of its output.
func (g *glancer) substitution(c *syntax.CmdSubst) string {
	if c.TempFile || c.ReplyVar || c.Backquotes || len(c.Stmts) == 0 {
		g.refuse("write $(…) for a command within a word")
		return anything
	}
	elsewhere := g.elsewhere()
	g.subshell(c.Stmts)
	if len(c.Stmts) != 1 || c.Stmts[0].Negated || len(c.Stmts[0].Redirs) > 0 {
		return anything
	}
	call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 {
		return anything
	}
	return yields(call.Args, elsewhere)
}

// hashes are git commands that print nothing but objects' names, as long as all
// their words are written out and no other option is among them.
var hashes = map[string]options{
	"merge-base": "-a --all --octopus",
	"rev-parse":  "--verify -q --quiet --short?",
}

// yields says what a command is known to print: the name of an object, numbers,
// or the top of the checkout.
func yields(args []*syntax.Word, elsewhere bool) string {
	var words []word
	for _, a := range args {
		text := a.Lit()
		if text == "" || text == "--" || strings.ContainsAny(text, "\\*?[{~$") {
			return anything
		}
		words = append(words, word{text: text})
	}
	if len(words) > 1 && words[0].text == "seq" {
		return digits
	}
	if len(words) < 3 || words[0].text != "git" {
		return anything
	}
	if words[1].text == "rev-parse" && words[2].text == "--show-toplevel" && len(words) == 3 && !elsewhere {
		return "."
	}
	allowed, ok := hashes[words[1].text]
	if !ok {
		return anything
	}
	if _, operands, bad := (command{options: allowed}).split(words[2:]); bad != "" || len(operands) == 0 {
		return anything
	}
	return digits
}

// arithmetic knows sums of written-out numbers: the shell evaluates what a
// variable holds, and runs what stands in its subscripts.
func (g *glancer) arithmetic(a *syntax.ArithmExp) string {
	if a.Bracket || a.Unsigned || !g.number(a.X) {
		g.refuse("$((…)) is known with written-out numbers only")
	}
	return anything
}

func (g *glancer) number(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.ParenArithm:
		return g.number(x.X)
	case *syntax.UnaryArithm:
		return (x.Op == syntax.Minus || x.Op == syntax.Plus) && !x.Post && g.number(x.X)
	case *syntax.BinaryArithm:
		switch x.Op {
		case syntax.Add, syntax.Sub, syntax.Mul, syntax.Quo, syntax.Rem:
			return g.number(x.X) && g.number(x.Y)
		}
	case *syntax.Word:
		return strings.Trim(g.numeral(x), "0123456789") == ""
	}
	return false
}

// numeral is a number's text, also of a variable that the command sets to one.
func (g *glancer) numeral(w *syntax.Word) string {
	text := w.Lit()
	if p, ok := onlyParam(w); ok {
		text = p.Param.Value
	}
	if value, ok := g.vars[text]; ok && value != "" {
		return value
	}
	if text == "" {
		return "x"
	}
	return text
}

func onlyParam(w *syntax.Word) (*syntax.ParamExp, bool) {
	if len(w.Parts) != 1 {
		return nil, false
	}
	p, ok := w.Parts[0].(*syntax.ParamExp)
	return p, ok && p.Short && p.Param != nil && p.Index == nil
}
