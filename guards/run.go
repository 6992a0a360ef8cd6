package guards

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call judges a simple command: assignments, or a program and its words.
func (g *glancer) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			g.assignment(a)
		}
		return
	}
	name := ""
	if c.Args[0].Lit() == "read" {
		name = "read"
	}
	for _, a := range c.Assigns {
		g.preset(a, name)
	}
	var words []word
	for i, w := range c.Args {
		for _, one := range g.words(w) {
			one.at = i
			words = append(words, one)
		}
	}
	if g.why != "" {
		return
	}
	if words[0].free || words[0].glob || len(words) > 1 && words[1].at == 0 {
		g.refuse("the command's name '%s' is not written out", shown(words[0].text))
		return
	}
	if why := g.run(c, words); why != "" {
		g.refuse("%s", why)
	}
}

// run judges the words of a program, the first of which is its name.
func (g *glancer) run(c *syntax.CallExpr, words []word) string {
	if len(words) == 0 {
		return "a command is missing"
	}
	if g.seen != nil {
		g.seen(words)
	}
	name := words[0].text
	known, ok := g.lookUp(name)
	switch {
	case !words[0].known():
		return fmt.Sprintf("the command's name '%s' is not written out", shown(name))
	case !ok && strings.Contains(name, "/"):
		return fmt.Sprintf("'%s' can be any program; name a command that only looks, such as 'ls' or 'git'", name)
	case !ok && versions[name]:
		known = command{check: version}
	case !ok:
		return fmt.Sprintf("'%s' is not on the list of commands that only look", name)
	}
	if why := known.judge(g, c, name, words[1:]); why != "" {
		return why
	}
	g.looked = g.looked || !known.idle
	return ""
}

// assignment judges NAME=value as a command of its own.
func (g *glancer) assignment(a *syntax.Assign) {
	if a.Append || a.Naked || a.Index != nil || a.Array != nil || a.Name == nil {
		g.refuse("only plain variables are set in a look: NAME=value")
		return
	}
	if why := settable(a.Name.Value); why != "" {
		g.refuse("%s", why)
		return
	}
	value := ""
	if a.Value != nil {
		value = g.word(a.Value).text
	}
	g.assign(a.Name.Value, value)
}

// shellNames are small variables with a meaning in some shell.
var shellNames = []string{"path", "cdpath", "fpath", "manpath", "mailpath", "module_path", "argv", "status", "pipestatus", "prompt", "psvar", "watch",
	"histchars", "options", "commands", "aliases", "functions", "modules", "parameters", "fignore", "auto_resume", "signals", "home"}

// capitals are the variables in capitals that may be set: all others may be in
// the environment already, and tell a program what to do.
var capitals = strings.Fields("A B BASE BRANCH BRANCHES C COMMIT COMMITS COUNT CURRENT D DIR DIRS F FILE FILES FOUND FROM HASH I J K L LAST LINE M MAIN MAX MIN" +
	" N NAME NAMES NUM OUT P Q R RANGE REF REFS RESULT REV ROOT S SHA START T TAG TARGET TO TOP TOTAL U V X Y Z")

func settable(name string) string {
	if name != strings.ToLower(name) && !slices.Contains(capitals, name) || slices.Contains(shellNames, name) ||
		strings.HasSuffix(name, "_proxy") || strings.HasPrefix(name, "_") {
		return fmt.Sprintf("'%s' may tell a program what to run; use a small name such as 'x'", name)
	}
	return ""
}

// presets are variables that may stand before a command, and their values.
var presets = map[string]form{
	"GIT_PAGER": pagers, "PAGER": pagers, "MANPAGER": pagers, "SYSTEMD_PAGER": pagers,
	"GIT_OPTIONAL_LOCKS": oneOf("0"), "GIT_TERMINAL_PROMPT": oneOf("0"), "GIT_NO_LAZY_FETCH": oneOf("1"), "GIT_ALLOW_PROTOCOL": oneOf("none"),
	"GIT_DIR": oneOf(".git"), "GIT_WORK_TREE": oneOf("."), "GIT_CONFIG_NOSYSTEM": oneOf("1"), "GIT_LITERAL_PATHSPECS": oneOf("0", "1"),
	"GOTOOLCHAIN": oneOf("local"), "TZ": ordinaryValue, "LANG": ordinaryValue, "LANGUAGE": ordinaryValue,
	"TERM": oneOf("dumb", "xterm", "xterm-256color"), "NO_COLOR": ordinaryValue, "CLICOLOR": ordinaryValue, "CLICOLOR_FORCE": ordinaryValue,
	"FORCE_COLOR": ordinaryValue, "COLUMNS": fewDigits, "LINES": fewDigits, "BLOCKSIZE": ordinaryValue,
}

var (
	pagers        = oneOf("", "cat")
	ordinaryValue = like(`^[\w./:@+-]*$`)
	fewDigits     = like(`^\d{1,4}$`)
)

// preset judges NAME=value before a command.
func (g *glancer) preset(a *syntax.Assign, command string) {
	if a.Append || a.Naked || a.Index != nil || a.Array != nil || a.Name == nil {
		g.refuse("only plain variables are set before a command: NAME=value")
		return
	}
	name, value := a.Name.Value, word{}
	if a.Value != nil {
		value = g.word(a.Value)
	}
	if why := presettable(name, value, command); why != "" {
		g.refuse("%s", why)
	}
}

func presettable(name string, value word, command string) string {
	if command == "read" && name == "IFS" && value.known() {
		return ""
	}
	form, ok := presets[name]
	if strings.HasPrefix(name, "LC_") {
		form, ok = ordinaryValue, true
	}
	if !ok || !value.known() || !form(value.text) {
		return fmt.Sprintf("'%s=%s' may tell a program what to run; leave it out", name, shown(value.text))
	}
	return ""
}

// preface has a variable set before a command.
func (g *glancer) preface(c *syntax.CallExpr, name, value string) {
	set := func(a *syntax.Assign) bool { return a.Name != nil && a.Name.Value == name }
	if slices.ContainsFunc(c.Assigns, set) {
		return
	}
	c.Assigns = append(c.Assigns, &syntax.Assign{Name: &syntax.Lit{Value: name}, Value: litWord(value)})
	g.changed = true
}
