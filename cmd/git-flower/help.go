package main

import (
	"fmt"
	"io"
	"strings"
)

// column is where the explanations of options begin, helpWidth where they end.
const (
	column    = 27
	helpWidth = 80
)

// usageLines are the ways of calling, in git's shape.
func (c *command) usageLines() []string {
	var lines []string
	for i, s := range c.synopsis {
		head := "usage: "
		if i > 0 {
			head = "   or: "
		}
		lines = append(lines, strings.TrimRight(head+"git flower "+c.name+" "+s, " "))
	}
	return lines
}

// usage is the ways of calling, a line each.
func (c *command) usage() string { return strings.Join(c.usageLines(), "\n") + "\n" }

// printUsage prints what -h shows: the ways of calling and the options.
func (c *command) printUsage(w io.Writer) error {
	return write(w, c.usage()+c.optionBlock()+"\n")
}

// printHelp prints what "git flower help <command>" shows.
func (c *command) printHelp(w io.Writer) error {
	var b strings.Builder
	b.WriteString(c.usage() + "\n" + strings.TrimSpace(c.prose) + "\n")
	b.WriteString(c.optionBlock())
	b.WriteString("\nEXIT STATUS\n")
	for _, row := range c.exits {
		fmt.Fprintf(&b, "    %-5d %s\n", row.code, row.meaning)
	}
	return write(w, b.String())
}

// optionBlock is the table of options with an empty line before it, or nothing.
func (c *command) optionBlock() string {
	if len(c.options) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n")
	for _, o := range c.options {
		spelled := "    " + o.spelled()
		if len(spelled) >= column {
			spelled += "\n" + strings.Repeat(" ", column)
		}
		fmt.Fprintf(&b, "%-*s%s\n", column, spelled, look{columns: helpWidth}.fold(o.text, column))
	}
	return b.String()
}

// spelled shows an option as it is written: "-F, --file <file>", "--[no-]land".
func (o option) spelled() string {
	s := "--" + o.long
	if o.no {
		s = "--[no-]" + o.long
	}
	if o.short != "" {
		s = "-" + o.short + ", " + s
	}
	switch {
	case o.maybe:
		s += "[=" + o.value + "]"
	case o.value != "":
		s += " " + o.value
	}
	return s
}

// listCommands prints the commands in their groups.
func listCommands(w io.Writer, all []*command) error {
	var b strings.Builder
	b.WriteString("usage: git flower <command> [<options>] [<arguments>]\n")
	for _, g := range []group{everyday, plumbing} {
		fmt.Fprintf(&b, "\n%s\n", g)
		for _, c := range all {
			if c.group == g {
				fmt.Fprintf(&b, "    %-10s %s\n", c.name, c.summary)
			}
		}
	}
	b.WriteString("\n\"git flower <command> -h\" shows a command's options,\n\"git flower help <command>\" explains it.\n")
	return write(w, b.String())
}
