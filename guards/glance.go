package guards

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// longest is the longest command that is parsed, in bytes. Parsing takes 26 µs
	// for an ordinary command, but seconds for a hundred thousand brackets.
	longest = 16 << 10
	// deepest is how many brackets may stand within each other.
	deepest = 64
)

// Glance judges whether a shell command only looks. It returns the command as
// printed from its syntax tree, which is the text to run and to show; when ok is
// false, reason tells the model what stands in the way. Where it passes, POSIX
// shells and bash read the printed text alike, or refuse it.
//
// Glance of the printed text is the printed text. It is to run in the
// environment that LookEnv makes.
func Glance(cmd string) (printed string, ok bool, reason string) { return GlanceIn("", cmd) }

// GlanceIn is Glance for a command that runs in the absolute directory dir, the
// person's checkout: paths below it may then be written in full. Of git it
// matters where a command looks, since a repository's own configuration can name
// programs to run.
func GlanceIn(dir, cmd string) (printed string, ok bool, reason string) {
	l := look(dir, cmd)
	if l.why != "" {
		return "", false, refusal(l.why)
	}
	return l.printed, true, ""
}

// Expires reports whether the result of a call goes stale: it is a glance, by
// the very judgement that lets a coordinator run it.
func Expires(c Call) bool {
	command, why := bashCommand(c.Input)
	return c.Tool == "Bash" && why == "" && look(c.Dir, command).why == ""
}

// A judgement is what look found out about a command.
type judgement struct {
	printed string
	why     string   // it does more than look, or may
	secrets []secret // what it reads that may hold secrets
}

// A secret is something that may hold secrets.
type secret struct {
	told string // what the command calls it
	path string // where it is, for what is one file of the checkout; else empty
}

func look(dir, cmd string) judgement { return lookAt(dir, cmd, nil) }

// lookAt is look; seen is told the words of every program that is judged.
func lookAt(dir, cmd string, seen func([]word)) (j judgement) {
	defer func() {
		if r := recover(); r != nil {
			j = judgement{why: fmt.Sprintf("the command could not be read (%v)", r)}
		}
	}()
	if why := unreadable(cmd); why != "" {
		return judgement{why: why}
	}
	sh := newShell()
	file, printed, why := sh.normalize(cmd)
	if why != "" {
		return judgement{why: why}
	}
	g := newGlancer(dir, tables())
	g.seen = seen
	g.file(file)
	if g.why != "" {
		return judgement{why: g.why}
	}
	if !g.changed {
		return judgement{printed: printed, secrets: g.secrets}
	}
	return sh.again(dir, file, seen)
}

// again judges a tree that a look was made safer in: what is run is what was
// judged, so its text must pass as it stands.
func (sh shell) again(dir string, file *syntax.File, seen func([]word)) judgement {
	text, err := sh.print(file)
	if err != nil {
		return judgement{why: err.Error()}
	}
	file, printed, why := sh.normalize(text)
	if why != "" {
		return judgement{why: why}
	}
	g := newGlancer(dir, tables())
	g.seen = seen
	g.file(file)
	if g.why == "" && (g.changed || printed != text) {
		g.why = "it reads differently when it is written out"
	}
	return judgement{printed: printed, why: g.why, secrets: g.secrets}
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
	depth := 0
	for i, r := range cmd {
		switch {
		case r == '(' || r == '{':
			depth++
		case r == ')' || r == '}':
			depth = max(depth-1, 0)
		case r == ' ' || r == '\t' || r == '\n':
		case r < utf8.RuneSelf && r >= ' ' && r != 0x7f:
		case r == '\r' && strings.HasPrefix(cmd[i:], "\r\n"):
			return "its lines end in carriage returns; end them with a newline alone"
		case invisible(r):
			return fmt.Sprintf("it holds the invisible character %U", r)
		}
		if depth > deepest {
			return fmt.Sprintf("its brackets are more than %d deep", deepest)
		}
	}
	return ""
}

func invisible(r rune) bool {
	return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Zs, unicode.Zl, unicode.Zp)
}

// A shell reads and writes commands as bash does.
type shell struct {
	parser  *syntax.Parser
	printer *syntax.Printer
}

func newShell() shell {
	return shell{parser: syntax.NewParser(syntax.Variant(syntax.LangBash)), printer: syntax.NewPrinter()}
}

// normalize prints the command from its tree, and reads that again; both trees
// must print the same. A comment that swallowed a line break is where the parser
// saw less than the shell would.
func (sh shell) normalize(cmd string) (file *syntax.File, printed, why string) {
	if strings.Contains(cmd, "#") && brokenComment(cmd) {
		return nil, "", "a comment ends in a backslash"
	}
	file, err := sh.parse(cmd)
	if err != nil {
		return nil, "", unparsed(err)
	}
	printed, err = sh.print(file)
	if err != nil {
		return nil, "", unparsed(err)
	}
	file, err = sh.parse(printed)
	if err != nil {
		return nil, "", unparsed(err)
	}
	twice, err := sh.print(file)
	if err != nil || twice != printed {
		return nil, "", "it reads differently when it is written out"
	}
	return file, printed, ""
}

func unparsed(err error) string {
	return "it is no complete shell command (" + strings.TrimPrefix(err.Error(), "command:") + ")"
}

func (sh shell) parse(cmd string) (*syntax.File, error) {
	return sh.parser.Parse(strings.NewReader(cmd), "command")
}

func (sh shell) print(file *syntax.File) (string, error) {
	var out strings.Builder
	err := sh.printer.Print(&out, file)
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
