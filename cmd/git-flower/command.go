package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"
)

// A group is a heading in the list of commands.
type group string

const (
	everyday group = "everyday commands"
	plumbing group = "plumbing"
)

// A command is a verb of the tool: how it is called, what its help says, and
// what it does. One is a file cmd_<name>.go and a line in commands.
type command struct {
	name     string
	group    group
	summary  string    // one line for lists: lower case, no full stop
	synopsis []string  // what stands after "git flower <name>", one per way of calling
	prose    string    // for "git flower help <name>": paragraphs, wrapped as written
	options  []option  // in the order of the help
	exits    []exitRow // see exits
	personal bool      // refused to the commands of the run that it is about
	args     int       // most arguments that it takes; negative means any number
	run      func(ctx context.Context, env *Env, c *call) error
}

// An option of a command, as data: the parser, the help, the manual's test and
// the configuration all read it.
type option struct {
	long  string // without its dashes
	short string // one letter, or empty
	value string // placeholder of its value such as "<n>"; empty for a switch
	no    bool   // --no-<long> exists as well
	maybe bool   // the value may be left out; then it must be attached: --<long>[=<value>]
	text  string // lower case, no full stop
}

// A call is one use of a command: its arguments, and its options, which the
// parser has checked against the table.
type call struct {
	command *command
	args    []string
	values  *cli.Context
}

// given reports whether the option stood on the command line.
func (c *call) given(long string) bool { return c.values.IsSet(long) }

// text returns the value of an option, empty when it was not given.
func (c *call) text(long string) string { return c.values.String(long) }

// is returns the value of a switch, false when it was not given.
func (c *call) is(long string) bool { return c.values.Bool(long) }

// number returns an option's whole number, or preset when it was not given.
func (c *call) number(long string, preset, least int) (int, error) {
	if !c.given(long) {
		return preset, nil
	}
	n, err := strconv.Atoi(c.text(long))
	if err != nil || n < least {
		return 0, c.usagef("option '--%s': '%s' is not a whole number from %d", long, c.text(long), least)
	}
	return n, nil
}

// arg returns the n-th argument, empty when there are fewer.
func (c *call) arg(n int) string {
	if n < len(c.args) {
		return c.args[n]
	}
	return ""
}

// usagef is an error about how the command was called; its usage is printed
// after it.
func (c *call) usagef(format string, args ...any) error { return c.command.usagef(format, args...) }

func (c *command) usagef(format string, args ...any) error {
	return &endError{ending: endUsage, err: fmt.Errorf(format, args...), command: c,
		hint: fmt.Sprintf(`"git flower help %s" explains the command`, c.name)}
}
