package document

import (
	"fmt"
	"strings"
)

// A Goal is the sign of being done: one sentence and a list of checks, written
// before the work and by another than the worker.
type Goal struct {
	Statement string
	Checks    []Check
	// Protected are paths that checks run or compare with, relative to the top of
	// the tree. A worker may not change them unasked.
	Protected []string
}

var goalTitles = []string{"Goal", "Checks", "Protected paths"}

// ParseGoal reads a goal from text.
func ParseGoal(text string) Goal {
	o := goalGrammar.read(text)
	g := Goal{Statement: o.first(0)}
	for _, it := range items(o.first(1)) {
		g.Checks = append(g.Checks, parseCheck(it))
	}
	for _, it := range items(o.first(2)) {
		path := it.text()
		if inner, ok := cutSpan(strings.Join(it.lines, " ")); ok {
			path = inner
		}
		g.Protected = append(g.Protected, path)
	}
	return g
}

// Missing names what a goal cannot be without and has not: a statement, checks.
func (g Goal) Missing() []string {
	return missing(goalTitles, g.Statement, strings.Join(g.checkLines(), "\n"))
}

// Validate refuses what cannot be kept as it is: a check without text, a command
// of several lines or with control characters, a path outside the tree. It
// names the check by its number, counted from 1. Goals from ParseGoal may lack
// sections, but pass.
func (g Goal) Validate() error {
	for i, c := range g.Checks {
		switch {
		case strings.TrimSpace(c.Text) == "":
			return fmt.Errorf("check %d has no text", i+1)
		case strings.ContainsAny(c.Command, "\r\n"):
			return fmt.Errorf("the command of check %d has more than one line", i+1)
		case c.Command != strings.TrimSpace(Clean(c.Command)):
			return fmt.Errorf("the command of check %d has control characters or blanks around it", i+1)
		}
	}
	for _, path := range g.Protected {
		if err := validPath(path); err != nil {
			return err
		}
	}
	return nil
}

func validPath(path string) error {
	switch {
	case path == "" || path != OneLine(path):
		return fmt.Errorf("protected path %q is empty or has blanks or control characters that do not print", path)
	case strings.HasPrefix(path, "/") || strings.Contains(path, `\`) || strings.Contains("/"+path+"/", "/../"):
		return fmt.Errorf("protected path %q is not inside the tree", path)
	}
	return nil
}

// Amend returns the goal with words of the person added to its statement. The
// old statement stays readable; the checks have to be set again.
func (g Goal) Amend(words string) Goal {
	if words = Clean(words); strings.TrimSpace(words) != "" {
		g.Statement = strings.TrimSpace(g.Statement + "\n\n(changed) " + words)
	}
	return g
}

// Unverifiable returns the numbers, counted from 1, of the checks that cannot be
// verified here.
func (g Goal) Unverifiable() []int {
	var numbers []int
	for i, c := range g.Checks {
		if c.Unverifiable != "" {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// String prints the goal.
func (g Goal) String() string {
	w := newWriter(goalGrammar, goalTitles)
	w.section(0, g.Statement)
	w.section(1, strings.Join(g.checkLines(), "\n"))
	var paths []string
	for _, path := range g.Protected {
		if path != "" {
			paths = append(paths, span(path))
		}
	}
	w.section(2, bullets(paths))
	return w.String()
}

// checkLines prints the checks that say something.
func (g Goal) checkLines() []string {
	var lines []string
	for _, c := range g.Checks {
		printed := c.lines()
		if len(items(strings.Join(printed, "\n"))) > 0 {
			lines = append(lines, printed...)
		}
	}
	return lines
}
