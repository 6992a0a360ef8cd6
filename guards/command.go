package guards

import (
	"fmt"
	"path"
	"strings"
)

// A command is one that only looks, as long as it gets nothing but what is said
// here.
type command struct {
	// options are the ones that are known to be harmless, in the words that
	// options describes. All others are refused, abbreviations too.
	options options
	// idle commands say nothing about the world; they pass beside a look.
	idle bool
	// contents says that it prints what files hold, so secrets are kept from it.
	contents bool
	// safe says that no option of it does harm, listed or not. Elsewhere a pattern
	// must not be able to match a name that begins with a dash, nor may the value
	// of an option begin with one.
	safe bool
	// list says that operands are only looked up when one of these options is
	// given, and are made into something otherwise.
	list []string
	// most is how many operands it takes; zero means any number, none is -1.
	most int
	// check judges arguments that follow no common form, instead of the above.
	check func(args []word) string
	// subcommands: the first operand must be one of these. The options above
	// come before it.
	subcommands map[string]command
	// bare says that it also only looks without a subcommand.
	bare bool
}

func (c command) judge(name string, args []word) string {
	for _, a := range args {
		if why := c.place(name, a); why != "" {
			return why
		}
	}
	if c.check != nil {
		return c.check(args)
	}
	given, operands, bad := c.split(args)
	if bad != "" {
		return fmt.Sprintf("'%s' is not known to only look with '%s'", name, bad)
	}
	if c.subcommands != nil {
		return c.descend(name, operands)
	}
	return c.count(name, given, operands)
}

func (c command) descend(name string, operands []word) string {
	if len(operands) == 0 && c.bare {
		return ""
	}
	if len(operands) == 0 {
		return fmt.Sprintf("'%s' alone does more than look", name)
	}
	sub, ok := c.subcommands[operands[0].text]
	if !ok || !operands[0].plain {
		return fmt.Sprintf("'%s %s' is not on the list of commands that only look", name, operands[0].text)
	}
	return sub.judge(name+" "+operands[0].text, operands[1:])
}

func (c command) count(name string, given map[string]bool, operands []word) string {
	if c.most < 0 && len(operands) > 0 || c.most > 0 && len(operands) > c.most {
		return fmt.Sprintf("'%s' does more than look with '%s'", name, operands[len(operands)-1].text)
	}
	if len(c.list) == 0 || len(operands) == 0 {
		return ""
	}
	for _, o := range c.list {
		if given[o] {
			return ""
		}
	}
	return fmt.Sprintf("'%s %s' changes something; add %s to look it up", name, operands[0].text, c.list[0])
}

// place judges a word as a path: some paths are not files, and what an unquoted
// pattern finds may look like an option.
func (c command) place(name string, w word) string {
	if w.glob && !c.safe && strings.IndexAny(w.text, "-*?[") == 0 {
		return fmt.Sprintf("'%s' could match a name that '%s' takes for an option; put ./ before it", w.text, name)
	}
	clean := path.Clean("/" + w.text)
	for _, dir := range [...]string{"/dev", "/proc", "/sys"} {
		rooted := path.IsAbs(w.text) || strings.Contains(w.text, "..")
		if rooted && clean != "/dev/null" && (clean == dir || strings.HasPrefix(clean, dir+"/")) {
			return fmt.Sprintf("'%s' is not a file", w.text)
		}
	}
	if c.contents && Secret(w.text) {
		return secretReason(w.text)
	}
	return ""
}

// options are option names separated by blanks:
//
//	-abc     letters without a value, alone or in clusters
//	-n:      a letter with a value, attached or in the next word
//	-U?      a letter with a value that can only be attached
//	--all    a name without a value
//	--max:   a name with a value, after '=' or in the next word
//	--color? a name with or without '=value'
//	-#       a number, as in 'head -5'
type options string

// split tells options from operands, and returns the first word that is neither
// for certain. An operand may come before an option, as GNU programs and git have
// it, but a subcommand ends the options.
func (c command) split(args []word) (given map[string]bool, operands []word, bad string) {
	given = map[string]bool{}
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		switch {
		case a.text == "--":
			return given, append(operands, args...), ""
		case len(a.text) < 2 || a.text[0] != '-':
			operands = append(operands, a)
			if c.subcommands != nil {
				return given, append(operands, args...), ""
			}
			continue
		}
		names, takes, ok := c.options.parse(a.text)
		if !ok || takes && (len(args) == 0 || strings.HasPrefix(args[0].text, "-") && !c.safe) {
			return nil, nil, a.text
		}
		for _, n := range names {
			given[n] = true
		}
		if takes {
			args = args[1:]
		}
	}
	return given, operands, ""
}

// parse reads one word that begins with a dash. takes says that the next word is
// its value.
func (o options) parse(text string) (names []string, takes, ok bool) {
	if strings.HasPrefix(text, "--") {
		name, _, valued := strings.Cut(text, "=")
		form, known := o.form(name)
		ok = known && (form != 0 || !valued)
		return []string{name}, form == ':' && !valued, ok
	}
	if _, known := o.form("-#"); known && strings.Trim(text[1:], "0123456789") == "" {
		return nil, false, true
	}
	for i := 1; i < len(text); i++ {
		name := "-" + text[i:i+1]
		form, known := o.form(name)
		if !known {
			return nil, false, false
		}
		names = append(names, name)
		if form != 0 {
			return names, form == ':' && i+1 == len(text), true
		}
	}
	return names, false, true
}

// form looks an option up: 0, ':' or '?'.
func (o options) form(name string) (byte, bool) {
	for entry := range strings.FieldsSeq(string(o)) {
		bare := strings.TrimRight(entry, ":?")
		form := byte(0)
		if len(bare) < len(entry) {
			form = entry[len(bare)]
		}
		switch {
		case bare == name:
			return form, true
		case !strings.HasPrefix(name, "--") && !strings.HasPrefix(bare, "--") && form == 0 && strings.Contains(bare[1:], name[1:]):
			return 0, true
		}
	}
	return 0, false
}
