package guards

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A command is one that only looks, as long as it gets nothing but what is said
// here.
type command struct {
	// options are the ones that are known to be harmless, in the words that
	// options describes. All others are refused, abbreviations too.
	options options
	// idle commands say nothing about the world; they pass beside a look.
	idle bool
	// contents says that it prints what files hold.
	contents bool
	// safe says that no option of it does harm, listed or not. Elsewhere nothing
	// that is not written out may stand where an option could.
	safe bool
	// list says that operands are only looked up when one of these options is
	// given, and are made into something otherwise.
	list []string
	// need says that it only looks with one of these options.
	need []string
	// most is how many operands it takes; zero means any number, none is -1.
	most int
	// permutes says that options may stand anywhere, on every machine.
	permutes bool
	// check judges arguments that follow no common form, instead of the above.
	check check
	// names says that the check judges its words as paths too.
	names bool
	// subcommands: the first operand must be one of these. The options above
	// come before it.
	subcommands map[string]command
	// bare says that it also only looks without a subcommand.
	bare bool
	// hint is another way to the same, said when it is refused.
	hint string
}

// A check judges the words behind a command's name, and says what is wrong.
type check func(g *glancer, c *syntax.CallExpr, name string, args []word) string

func (c command) judge(g *glancer, call *syntax.CallExpr, name string, args []word) string {
	for _, a := range args {
		if why := c.place(g, a); why != "" && !c.names {
			return why
		}
	}
	if c.check != nil {
		return c.check(g, call, name, args)
	}
	given, operands, bad := c.split(args)
	if bad != "" {
		return c.refuse(name, bad)
	}
	if c.subcommands != nil {
		return c.descend(g, call, name, operands)
	}
	return c.count(name, given, operands)
}

// refuse names the word that a command is not known to only look with.
func (c command) refuse(name, bad string) string {
	hint := c.hint
	switch {
	case strings.ContainsAny(bad, holes):
		hint = fmt.Sprintf("'%s' could be an option; put -- before it, or ./ if it is a file", shown(bad))
	case bad != "" && strings.IndexByte("*?[", bad[0]) >= 0:
		hint = fmt.Sprintf("'%s' could find a file whose name is an option; write './%s'", bad, bad)
	}
	if hint != "" {
		hint = "; " + hint
	}
	return fmt.Sprintf("'%s' is not known to only look with '%s'%s", name, shown(bad), hint)
}

func (c command) descend(g *glancer, call *syntax.CallExpr, name string, operands []word) string {
	if len(operands) == 0 && c.bare {
		return ""
	}
	if len(operands) == 0 {
		return fmt.Sprintf("'%s' alone does more than look%s", name, c.forms())
	}
	sub, ok := c.subcommands[operands[0].text]
	if !ok || !operands[0].known() {
		return fmt.Sprintf("'%s %s' is not on the list of commands that only look%s", name, shown(operands[0].text), c.forms())
	}
	return sub.judge(g, call, name+" "+operands[0].text, operands[1:])
}

// forms names the subcommands when they are few.
func (c command) forms() string {
	if len(c.subcommands) > 8 {
		return ""
	}
	var names []string
	for name := range c.subcommands {
		names = append(names, "'"+name+"'")
	}
	slices.Sort(names)
	return "; known are " + strings.Join(names, ", ")
}

func (c command) count(name string, given map[string]bool, operands []word) string {
	if c.most < 0 && len(operands) > 0 || c.most > 0 && len(operands) > c.most {
		return fmt.Sprintf("'%s' does more than look with '%s'", name, shown(operands[len(operands)-1].text))
	}
	one := func(names []string) bool {
		return len(names) == 0 || slices.ContainsFunc(names, func(o string) bool { return given[o] })
	}
	if !one(c.need) {
		return fmt.Sprintf("'%s' only looks with %s", name, strings.Join(c.need, " or "))
	}
	if len(operands) > 0 && !one(c.list) {
		return fmt.Sprintf("'%s %s' changes something; add %s to look it up", name, shown(operands[0].text), c.list[0])
	}
	return ""
}

// readable are files below /proc and /dev that say something and end.
var readable = []string{"/dev/null", "/dev/stdin", "/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/loadavg", "/proc/uptime", "/proc/mounts"}

// place judges a word as a path: some paths are no files that can be read to
// their end, and some hold secrets.
func (c command) place(g *glancer, w word) string {
	for _, dir := range g.dirs {
		_, inside, named := strings.Cut(w.text, ":") // git show HEAD:FILE
		if at := join(dir, w.text); c.contents && (Secret(at) || named && Secret(inside) || w.glob && findsSecret(at)) {
			if named || !w.known() || strings.ContainsAny(dir, holes) || strings.Contains("/"+w.text+"/", "/../") { // ".." leads elsewhere behind a link
				at = ""
			}
			g.secrets = append(g.secrets, secret{told: shown(w.text), path: at})
		}
		full := w.text
		if dir != "." || strings.Contains(w.text, "..") {
			full = "/" + join(dir, w.text)
		}
		if why := special(path.Clean(full), w.text); why != "" {
			return why
		}
	}
	return ""
}

// special refuses the folders in which reading is doing.
func special(full, text string) string {
	if !path.IsAbs(full) || slices.Contains(readable, full) {
		return ""
	}
	for _, dir := range [...]string{"/dev", "/proc", "/sys"} {
		if full == dir || strings.HasPrefix(full, dir+"/") {
			return fmt.Sprintf("'%s' is not an ordinary file", shown(text))
		}
	}
	return ""
}

// options are option names separated by blanks:
//
//	-abc     letters without a value, alone or in clusters
//	-n:      a letter with a value, attached or in the next word
//	-e!      the same, and the next word is the value even if it begins with a dash
//	-U?      a letter with a value that can only be attached
//	--all    a name without a value
//	--max:   a name with a value, after '=' or in the next word
//	--with~  the same, and without a value where no word follows
//	--color? a name with or without '=value'
//	-#       a number, as in 'head -5'
type options string

// ordered reports whether an option behind an operand may be taken for another
// operand, by the program itself or by another make of it, and whether that
// would do harm: a second file of uniq is written, gzip without -c replaces.
func (c command) ordered() bool { return (c.most > 0 || len(c.need) > 0) && !c.permutes }

// split tells options from operands, and returns the first word that is neither
// for certain. An operand may come before an option, as GNU programs and git have
// it, but a subcommand ends the options.
func (c command) split(args []word) (given map[string]bool, operands []word, bad string) {
	given = map[string]bool{}
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		switch {
		case len(operands) > 0 && c.ordered():
			operands = append(operands, a)
			continue
		case a.text == "--" && a.known():
			return given, append(operands, args...), ""
		case a.option() && !c.safe:
			return nil, nil, a.text
		case len(a.text) < 2 || a.text[0] != '-' || c.safe && !letter(a.text[1]):
			operands = append(operands, a)
			if c.subcommands != nil {
				return given, append(operands, args...), ""
			}
			continue
		}
		names, takes, ok := c.options.parse(a.text)
		if !ok || takes == ':' && len(args) == 0 || takes != 0 && len(args) > 0 && !c.value(takes, args[0]) {
			return nil, nil, a.text
		}
		for _, n := range names {
			given[n] = true
		}
		if takes != 0 && len(args) > 0 {
			args = args[1:]
		}
	}
	return given, operands, ""
}

// value reports whether a word may be the value of the option before it. Should
// a version of the program not take it for one, it is an operand.
func (c command) value(form byte, w word) bool {
	return form == '!' || c.safe || !w.option() && !strings.HasPrefix(w.text, "-")
}

func letter(b byte) bool {
	return b == '-' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || strings.IndexByte(holes, b) >= 0
}

// parse reads one word that begins with a dash. takes is the form of the last
// option when the next word is its value, else 0.
func (o options) parse(text string) (names []string, takes byte, ok bool) {
	if strings.HasPrefix(text, "--") {
		name, _, valued := strings.Cut(text, "=")
		form, known := o.form(name)
		ok = known && (form != 0 || !valued)
		if valued || form == '?' {
			form = 0
		}
		return []string{name}, form, ok
	}
	if _, known := o.form("-#"); known && strings.Trim(text[1:], "0123456789") == "" {
		return nil, 0, true
	}
	for i := 1; i < len(text); i++ {
		name := "-" + text[i:i+1]
		form, known := o.form(name)
		if !known {
			return nil, 0, false
		}
		names = append(names, name)
		if form == '?' || form != 0 && i+1 < len(text) {
			return names, 0, true
		}
		if form != 0 {
			return names, form, true
		}
	}
	return names, 0, true
}

const forms = ":!?~"

// form looks an option up: 0 or one of forms.
func (o options) form(name string) (byte, bool) {
	long := strings.HasPrefix(name, "--")
	for rest := string(o); rest != ""; {
		var entry string
		entry, rest, _ = strings.Cut(rest, " ")
		if entry == "" || strings.HasPrefix(entry, "--") != long {
			continue
		}
		form := byte(0)
		if last := entry[len(entry)-1]; strings.IndexByte(forms, last) >= 0 {
			form, entry = last, entry[:len(entry)-1]
		}
		if entry == name || !long && form == 0 && strings.Contains(entry[1:], name[1:]) {
			return form, true
		}
	}
	return 0, false
}
