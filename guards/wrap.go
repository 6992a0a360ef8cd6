package guards

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// prefix is 'command': with -v it tells where a program is, else it runs one.
func prefix(g *glancer, c *syntax.CallExpr, _ string, args []word) string {
	if len(args) > 1 && (args[0].text == "-v" || args[0].text == "-V") {
		if slices.ContainsFunc(args[1:], word.option) {
			return "'command -v' takes the names of programs"
		}
		return ""
	}
	if len(args) == 0 || strings.HasPrefix(args[0].text, "-") {
		return "of 'command' the forms 'command -v NAME' and 'command NAME' look"
	}
	return g.run(c, args)
}

var duration = like(`^\d+(\.\d+)?[smh]?$`)

func timeout(g *glancer, c *syntax.CallExpr, _ string, args []word) string {
	if len(args) < 2 || !args[0].known() || !duration(args[0].text) {
		return "'timeout' takes a time and a look: timeout 10 git log -5"
	}
	return g.run(c, args[1:])
}

var niceness = like(`^-n?\d+$`)

func nice(g *glancer, c *syntax.CallExpr, _ string, args []word) string {
	switch {
	case len(args) > 2 && args[0].text == "-n":
		if _, ok := number(args[1]); ok {
			return g.run(c, args[2:])
		}
	case len(args) > 1 && niceness(args[0].text):
		return g.run(c, args[1:])
	case len(args) > 0 && !strings.HasPrefix(args[0].text, "-"):
		return g.run(c, args)
	}
	return "'nice' takes a number and a look: nice -n 10 du -sh ."
}

// env with settings and a command runs it; alone it shows everything.
func env(g *glancer, c *syntax.CallExpr, _ string, args []word) string {
	for len(args) > 0 && strings.Contains(args[0].text, "=") && args[0].text[0] != '-' {
		name, value, _ := strings.Cut(args[0].text, "=")
		if why := presettable(name, word{text: value, glob: args[0].glob, free: args[0].free}, ""); why != "" {
			return why
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return "the whole environment holds credentials, and would end up in the transcript; name one variable: printenv PATH"
	}
	return g.run(c, args)
}

// script judges 'bash -c TEXT', whose text must be a look as it stands, and
// 'bash -n FILE', which only reads.
func script(g *glancer, _ *syntax.CallExpr, name string, args []word) string {
	if len(args) == 2 && args[0].text == "-n" && args[1].known() && !strings.HasPrefix(args[1].text, "-") {
		return ""
	}
	if len(args) == 1 && args[0].text == "--version" {
		return ""
	}
	if len(args) != 2 || args[0].text != "-c" || !args[1].known() {
		return fmt.Sprintf("'%s' runs whatever it is given; write the commands without it", name)
	}
	text := args[1].text
	if why := unreadable(text); why != "" {
		return why
	}
	file, printed, why := newShell().normalize(text)
	if why != "" {
		return why
	}
	inner := newGlancer(g.root, g.tables)
	inner.dirs, inner.steps = slices.Clone(g.dirs), g.steps
	inner.file(file)
	g.steps = inner.steps
	if inner.why == "" && (inner.changed || printed != text) {
		inner.why = fmt.Sprintf("write the commands without '%s -c'", name)
	}
	g.secrets = append(g.secrets, inner.secrets...)
	return inner.why
}

var xargsOption = like(`^-[nL]\d+$|^--max-args=\d+$|^-I\{\}$|^-d.{1,2}$`)

// xargs gives a command words that are not known, so it must be one that no word
// can make do harm.
func xargs(g *glancer, c *syntax.CallExpr, _ string, args []word) string {
	replace := ""
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		text := args[0].text
		args = args[1:]
		switch {
		case slices.Contains([]string{"-0", "-r", "-t", "-0r", "-r0", "--null", "--no-run-if-empty"}, text):
		case xargsOption(text):
			if text == "-I{}" {
				replace = "{}"
			}
		case (text == "-n" || text == "-L" || text == "-d" || text == "-I") && len(args) > 0 && args[0].known() && !strings.HasPrefix(args[0].text, "-"):
			if text == "-I" {
				replace = args[0].text
			}
			args = args[1:]
		default:
			return fmt.Sprintf("'xargs' is not known to only look with '%s'", shown(text))
		}
	}
	if len(args) == 0 {
		return "'xargs' needs a command: xargs wc -l"
	}
	words := slices.Clone(args)
	for i := range words {
		if replace != "" && strings.Contains(words[i].text, replace) {
			words[i].text = strings.ReplaceAll(words[i].text, replace, anything)
		}
	}
	if replace == "" {
		words = append(words, word{text: anything, free: true, at: -1})
	}
	if known := g.known(args[0].text); !known.safe {
		return fmt.Sprintf("'xargs' could give '%s' a file whose name is an option; it is known with ls, cat, head, wc, grep, stat and the like; or use "+
			"while read -r f; do %s -- \"$f\"; done", shown(args[0].text), shown(args[0].text))
	}
	return g.run(c, words)
}
