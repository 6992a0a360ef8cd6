package guards

import (
	"fmt"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// sedOptions: -i edits in place, and -f reads a script that nobody judged.
const sedOptions options = "-nErsuz -e: -l: --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression: --posix --debug --sandbox --line-length:"

// sed looks when its scripts only print. A script is the value of -e, or else the
// first operand.
func sed(_ *glancer, _ *syntax.CallExpr, name string, args []word) string {
	scripts, operands := []word{}, []word{}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.text == "--" && a.known():
			operands, i = append(operands, args[i+1:]...), len(args)
		case a.option() && !strings.HasPrefix(a.text, digits):
			return command{}.refuse(name, a.text)
		case len(a.text) < 2 || a.text[0] != '-':
			operands = append(operands, a)
		default:
			names, takes, ok := sedOptions.parse(a.text)
			if !ok || takes != 0 && i+1 == len(args) {
				return command{hint: "it may write files; print with sed -n '1,40p' FILE"}.refuse(name, a.text)
			}
			last := names[len(names)-1]
			value := word{text: attached(a.text, last)}
			if takes != 0 {
				i++
				value = args[i]
			}
			if last == "-e" || last == "--expression" {
				scripts = append(scripts, value)
			}
		}
	}
	if len(scripts) == 0 && len(operands) > 0 {
		scripts = operands[:1]
	}
	return printing(name, scripts)
}

// attached is the value in the same word as its option.
func attached(text, option string) string {
	if strings.HasPrefix(option, "--") {
		_, value, _ := strings.Cut(text, "=")
		return value
	}
	_, value, _ := strings.Cut(text, option[1:])
	return value
}

func printing(name string, scripts []word) string {
	if len(scripts) == 0 {
		return fmt.Sprintf("'%s' needs a script: sed -n '1,40p' FILE", name)
	}
	for _, s := range scripts {
		text := strings.ReplaceAll(s.text, digits, "1")
		if s.free || s.glob || strings.ContainsAny(text, holes) {
			return "a script of 'sed' must be written out: sed -n '1,40p' FILE"
		}
		p := sedScript{rest: text}
		if !p.read() {
			return fmt.Sprintf("the script of sed '%s' is not known to only print; forms such as sed -n '1,40p' and sed 's/a/b/' do", shown(s.text))
		}
	}
	return ""
}

// A sedScript is a script as far as it has not been read. What is not known is
// refused: w, W, e, r, R, a, i, c, and the flags w and e of s.
type sedScript struct {
	rest  string
	depth int
}

func (p *sedScript) read() bool {
	for {
		p.rest = strings.TrimLeft(p.rest, " \t\n;")
		if p.rest == "" {
			return p.depth == 0
		}
		if !p.address() || !p.command() {
			return false
		}
	}
}

var (
	lineAddress = regexp.MustCompile(`^(\d+(~\d+)?|\$|[+~]\d+)`)
	sedFlags    = regexp.MustCompile(`^[gpiIm0-9]*[ \t]*`)
	labelled    = regexp.MustCompile(`^[ \t]*\w*[ \t]*`)
	exitCode    = regexp.MustCompile(`^[ \t]*\d*[ \t]*`)
)

// address reads up to two addresses and '!'.
func (p *sedScript) address() bool {
	for range 2 {
		switch {
		case strings.HasPrefix(p.rest, "/"):
			if !p.pattern('/', 1) {
				return false
			}
			p.rest = strings.TrimLeft(p.rest, "IM")
		default:
			p.rest = p.rest[len(lineAddress.FindString(p.rest)):]
		}
		p.rest = strings.TrimLeft(p.rest, " \t")
		if !strings.HasPrefix(p.rest, ",") {
			break
		}
		p.rest = strings.TrimLeft(p.rest[1:], " \t")
	}
	p.rest = strings.TrimLeft(p.rest, "! \t")
	return p.rest != ""
}

func (p *sedScript) command() bool {
	letter := p.rest[0]
	p.rest = p.rest[1:]
	switch letter {
	case '{':
		p.depth++
		return true
	case '}':
		p.depth--
		return p.depth >= 0 && p.end()
	case 'p', 'P', 'd', 'D', '=', 'n', 'N', 'g', 'G', 'h', 'H', 'x', 'F', 'z':
		return p.end()
	case 'q', 'Q', 'l':
		p.rest = p.rest[len(exitCode.FindString(p.rest)):]
		return p.end()
	case ':', 'b', 't', 'T':
		p.rest = p.rest[len(labelled.FindString(p.rest)):]
		return p.end()
	case 's', 'y':
		return p.replace(letter)
	case 'w':
		return p.toTerminal()
	}
	return false
}

// replace reads s/…/…/flags or y/…/…/.
func (p *sedScript) replace(letter byte) bool {
	if p.rest == "" || strings.IndexByte("/|,#:@!%_+=~;", p.rest[0]) < 0 {
		return false
	}
	delimiter := p.rest[0]
	if letter == 'y' && strings.Contains(p.rest, "[") {
		return false
	}
	if !p.pattern(delimiter, 2) {
		return false
	}
	if letter == 's' {
		p.rest = p.rest[len(sedFlags.FindString(p.rest)):]
	}
	return p.end()
}

// toTerminal knows the one file that 'w' may write.
func (p *sedScript) toTerminal() bool {
	name := strings.TrimLeft(p.rest, " \t")
	p.rest = ""
	return name == "/dev/stdout" || name == "/dev/stderr"
}

// end is where the next command may begin.
func (p *sedScript) end() bool {
	p.rest = strings.TrimLeft(p.rest, " \t")
	return p.rest == "" || strings.IndexByte(";\n}", p.rest[0]) >= 0
}

// pattern reads a delimiter and the given number of texts that it ends; the
// first is a regular expression.
func (p *sedScript) pattern(delimiter byte, parts int) bool {
	rest := p.rest[1:]
	expression := true
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\n':
			return false
		case c == '\\':
			if i++; i >= len(rest) || rest[i] == '\n' || rest[i] == 'c' {
				return false
			}
		case c == '[' && expression:
			end, ok := closing(rest[i:], delimiter)
			if !ok {
				return false
			}
			i += end
		case c == delimiter:
			expression = false
			if parts--; parts == 0 {
				p.rest = rest[i+1:]
				return true
			}
		}
	}
	return false
}

// closing is where a bracket of a regular expression ends, when all readers
// agree: they do not about a delimiter, a backslash, or a leading ']' within it.
func closing(s string, delimiter byte) (end int, ok bool) {
	i := 1
	if strings.HasPrefix(s[i:], "^") {
		i++
	}
	for first := i; i < len(s); i++ {
		switch {
		case s[i] == delimiter || s[i] == '\\' || s[i] == '\n' || s[i] == ']' && i == first:
			return 0, false
		case s[i] == ']':
			return i, true
		case strings.HasPrefix(s[i:], "[:"):
			name := strings.Index(s[i:], ":]")
			if name < 0 || strings.IndexByte(s[i:i+name], delimiter) >= 0 {
				return 0, false
			}
			i += name + 1
		case s[i] == '[' && i+1 < len(s) && strings.IndexByte(".=", s[i+1]) >= 0:
			return 0, false
		}
	}
	return 0, false
}
