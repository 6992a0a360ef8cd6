package guards

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const awkOptions options = "-F: -v: --field-separator: --assign: --posix --re-interval --csv"

// awk looks when its one program is written out, and neither writes nor runs.
func awk(g *glancer, _ *syntax.CallExpr, name string, args []word) string {
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' {
		text := args[0].text
		_, takes, ok := awkOptions.parse(text)
		if !ok || args[0].free || takes != 0 && (len(args) == 1 || args[1].free) {
			return command{hint: "give the program in quotes: awk '{print $1}' FILE"}.refuse(name, text)
		}
		args = args[1:]
		if takes != 0 {
			args = args[1:]
		}
	}
	if len(args) == 0 || !args[0].known() {
		return fmt.Sprintf("'%s' needs a program that is written out: awk '{print $1}' FILE", name)
	}
	if strings.Contains(args[0].text, "ENVIRON") {
		g.secrets = append(g.secrets, secret{told: "ENVIRON"})
	}
	if part := (&awkProgram{rest: args[0].text}).trouble(); part != "" {
		return fmt.Sprintf("in the program of '%s', %s", name, part)
	}
	return ""
}

// An awkProgram is a program as far as it has not been read.
type awkProgram struct {
	rest     string
	operand  bool // what was read last is a value, so '/' divides
	unsure   bool // … or may be one
	printing bool // within print or printf
	depth    int  // brackets open since print
	last     string
}

var awkToken = regexp.MustCompile(`^(?:[A-Za-z_]\w*|\d[\w.]*|\.\d+|>>|>=|<=|==|!=|!~|&&|\|\||\|&|\+\+|--|[-+*/%^]=|\*\*|[][{}()$+*/%^!<>?:,;~=|&@.\n-])`)

// awkLooks are the functions of awk that neither write nor run.
var awkLooks = strings.Fields("length substr index split sub gsub gensub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper" +
	" strftime systime mktime asort asorti and or xor lshift rshift compl typeof isarray strtonum patsplit")

// awkWords begin or join statements; a '/' behind them begins a pattern.
var awkWords = strings.Fields("BEGIN END if else while for do in return delete next nextfile exit continue break print printf getline case switch default")

// trouble says what in the program is not known to be harmless. Awk's grammar
// makes a '>' write only within print, outside of brackets.
func (p *awkProgram) trouble() string {
	for p.rest != "" {
		if p.blank() {
			continue
		}
		switch p.rest[0] {
		case '"':
			if !p.text() {
				return "a string does not end in its line"
			}
			continue
		case '/':
			if p.unsure {
				return "a '/' could divide or begin a pattern; write it another way"
			}
			if !p.operand {
				if !p.pattern() {
					return "a pattern is hard to read; leave '/' and '[' unclosed out of it"
				}
				continue
			}
		}
		token := awkToken.FindString(p.rest)
		if token == "" {
			return fmt.Sprintf("'%c' is not known", p.rest[0])
		}
		p.rest = p.rest[len(token):]
		if why := p.take(token); why != "" {
			return why
		}
	}
	return ""
}

// blank skips blanks, continued lines and comments.
func (p *awkProgram) blank() bool {
	trimmed := strings.TrimLeft(p.rest, " \t")
	trimmed = strings.TrimPrefix(trimmed, "\\\n")
	if strings.HasPrefix(trimmed, "#") {
		end := strings.IndexByte(trimmed+"\n", '\n')
		if end > 0 && trimmed[end-1] == '\\' {
			return false // versions disagree about where it ends; '#' is no token
		}
		trimmed = trimmed[min(end, len(trimmed)):]
	}
	skipped := len(trimmed) < len(p.rest)
	p.rest = trimmed
	return skipped
}

func (p *awkProgram) text() bool {
	for i := 1; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\n':
			return false
		case '\\':
			if i++; i < len(p.rest) && p.rest[i] == '\n' {
				return false
			}
		case '"':
			p.rest = p.rest[i+1:]
			p.is(true)
			return true
		}
	}
	return false
}

// pattern reads /…/.
func (p *awkProgram) pattern() bool {
	for i := 1; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\n':
			return false
		case '\\':
			i++
		case '[':
			end, ok := closing(p.rest[i:], '/')
			if !ok {
				return false
			}
			i += end
		case '/':
			p.rest = p.rest[i+1:]
			p.is(true)
			return true
		}
	}
	return false
}

func (p *awkProgram) is(operand bool) { p.operand, p.unsure, p.last = operand, false, "" }

// take judges a token.
func (p *awkProgram) take(token string) string {
	last, ended := p.last, p.operand
	p.is(false)
	p.last = token
	switch token {
	case "|", "|&":
		return "'|' runs a command; pipe the output instead"
	case ">", ">>":
		if p.printing && p.depth == 0 {
			return "'" + token + "' writes a file; put a comparison into brackets"
		}
	case "@":
		return "'@' calls what is not known"
	case "\n":
		if ended && p.depth <= 0 || strings.HasPrefix(last, "print") {
			p.printing = false // else the statement goes on
		}
	case ";", "{", "}":
		p.printing = false
	case "(":
		p.depth++
	case ")":
		p.depth--
		p.operand, p.unsure = true, true
	case "]":
		p.operand = true
	case "++", "--":
		p.unsure = true
	default:
		return p.word(token)
	}
	return ""
}

// word judges a name or a number.
func (p *awkProgram) word(token string) string {
	if token[0] >= '0' && token[0] <= '9' || token[0] == '.' {
		p.operand = true
		return ""
	}
	called := strings.HasPrefix(p.rest, "(")
	switch {
	case !variableName(token):
	case token == "print" || token == "printf":
		p.printing, p.depth = true, 0
	case token == "getline":
		return p.source()
	case slices.Contains(awkWords, token):
	case slices.Contains(awkLooks, token):
		p.operand, p.unsure = true, token == "length"
	case called || slices.Contains([]string{"function", "func", "system", "close", "fflush"}, token):
		return "'" + token + "' is not known to only look"
	default:
		p.operand = true
	}
	return ""
}

// source is what getline reads: the input, or a file whose name is written out,
// since some names open a connection.
var source = regexp.MustCompile(`^[ \t]*(?:[A-Za-z_]\w*)?[ \t]*(?:<[ \t]*"[^"/\\\n][^"\\\n]*"|(?:[;})\n]|$))`)

func (p *awkProgram) source() string {
	read := source.FindString(p.rest)
	if read == "" && p.rest != "" {
		return "getline reads what is not known; read with 'cat FILE'"
	}
	p.rest = p.rest[len(strings.TrimRight(read, ";})\n")):]
	p.is(true)
	return ""
}
