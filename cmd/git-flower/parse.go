package main

import (
	"errors"
	"slices"
	"strings"
)

// errHelp asks for the short help, errManual for the long one.
var (
	errHelp   = errors.New("-h was given")
	errManual = errors.New("--help was given")
)

// permute reads words as git's own parser does and returns the options in front,
// each as "--name=value" (a switch as true or false), and the arguments behind.
// Options may follow arguments; "--" ends them; "-" alone is an argument; short
// switches may be joined and a short option's value attached. The library's
// parser would take every option after the first argument for an argument.
func permute(c *command, words []string) (options, args []string, err error) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			return options, append(args, words[i+1:]...), nil
		case word == "-" || !strings.HasPrefix(word, "-"):
			args = append(args, word)
			continue
		}
		read, used, err := c.readOption(word, words[i+1:])
		if err != nil {
			return nil, nil, err
		}
		options = append(options, read...)
		i += used
	}
	return options, args, nil
}

// readOption reads one word that begins with a dash; used is how many of the
// following words it took as a value.
func (c *command) readOption(word string, following []string) (read []string, used int, err error) {
	switch {
	case word == "--help":
		return nil, 0, errManual
	case strings.HasPrefix(word, "--"):
		return c.readLong(word[2:], following)
	}
	return c.readShort(word[1:], following)
}

func (c *command) readLong(word string, following []string) ([]string, int, error) {
	name, value, attached := strings.Cut(word, "=")
	o, on, ok := c.long(name)
	switch {
	case !ok:
		return nil, 0, c.unknownOption(name)
	case o.value == "" && attached:
		return nil, 0, c.usagef("option '--%s' takes no value", name)
	case o.value == "":
		return []string{o.switched(on)}, 0, nil
	case attached || o.maybe:
		return []string{o.with(value)}, 0, nil
	case len(following) == 0:
		return nil, 0, c.usagef("option '--%s' requires a value", name)
	}
	return []string{o.with(following[0])}, 1, nil
}

func (c *command) readShort(letters string, following []string) (read []string, used int, err error) {
	for i, letter := range letters {
		if letter == 'h' {
			return nil, 0, errHelp
		}
		o, ok := c.short(string(letter))
		if !ok {
			return nil, 0, c.usagef("unknown switch '-%c'", letter)
		}
		if o.value == "" {
			read = append(read, o.switched(true))
			continue
		}
		if rest := letters[i+len(string(letter)):]; rest != "" {
			return append(read, o.with(rest)), 0, nil
		}
		if len(following) == 0 {
			return nil, 0, c.usagef("switch '-%c' requires a value", letter)
		}
		return append(read, o.with(following[0])), 1, nil
	}
	return read, 0, nil
}

// long finds an option by its long name; on is false for its --no- form.
func (c *command) long(name string) (o option, on, ok bool) {
	for _, o := range c.options {
		if o.long == name {
			return o, true, true
		}
		if o.no && "no-"+o.long == name {
			return o, false, true
		}
	}
	return option{}, false, false
}

func (c *command) short(letter string) (option, bool) {
	i := slices.IndexFunc(c.options, func(o option) bool { return o.short == letter })
	if i < 0 {
		return option{}, false
	}
	return c.options[i], true
}

func (c *command) unknownOption(name string) error {
	var names []string
	for _, o := range c.options {
		names = append(names, o.long)
		if o.no {
			names = append(names, "no-"+o.long)
		}
	}
	if near := nearest(name, names); near != "" {
		return c.usagef("unknown option '--%s', did you mean '--%s'?", name, near)
	}
	return c.usagef("unknown option '--%s'", name)
}

func (o option) with(value string) string { return "--" + o.long + "=" + value }

func (o option) switched(on bool) string {
	if on {
		return o.with("true")
	}
	return o.with("false")
}

// nearest returns the one of names that a slip of the fingers would turn into
// word, or "": at most two slips, and fewer than half of its letters.
func nearest(word string, names []string) string {
	best, least := "", 3
	for _, name := range names {
		if d := slips(word, name); d < least && 2*d < len(name) {
			best, least = name, d
		}
	}
	return best
}

// slips counts the letters to insert, drop, replace or swap with their neighbour
// to get from a to b.
func slips(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return len(a) + len(b)
	}
	var d [66][66]int
	for i := 0; i <= len(a); i++ {
		d[i][0] = i
	}
	for j := 0; j <= len(b); j++ {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
