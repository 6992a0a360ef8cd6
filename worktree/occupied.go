package worktree

import (
	"fmt"
	"strings"

	"git-flower/worktree/process"
)

// occupied says who works in a slot, "" for nobody: a shell of a person who looks
// around, or something a worker left that could not be ended. That another
// process looks at the lock does not count.
func occupied(s *slot) string {
	holders := process.Holders(s.dir, "lock", "owner")
	if len(holders) == 0 {
		return ""
	}
	names := make([]string, len(holders))
	for i, h := range holders {
		names[i] = h.String()
	}
	const shown = 5
	if more := len(names) - shown; more > 0 {
		names = append(names[:shown], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
