package guards

import (
	"regexp"
	"slices"
	"sync"
)

// A form tells whether a text is of it.
type form func(string) bool

// like is the form of a pattern. It is compiled when it is first needed: every
// command of the binary would pay for it at its start, and hardly any judges.
func like(pattern string) form {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
	return func(s string) bool { return compiled().MatchString(s) }
}

// oneOf is the form of these texts alone.
func oneOf(texts ...string) form {
	return func(s string) bool { return slices.Contains(texts, s) }
}
