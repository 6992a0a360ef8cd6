package rehearse

import (
	"regexp"
	"sync"
)

// lazily compiles a pattern when it is first used: every command of the binary
// would pay for it at its start, and hardly any rehearses.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
