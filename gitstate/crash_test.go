//go:build flowertest

package gitstate

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// TestTheCrashPointsKill walks both places of an append. Before the ref moves
// the record is not there, after it it is.
func TestTheCrashPointsKill(t *testing.T) {
	t.Parallel()
	for point, want := range map[string]int{"append-after-objects:3": 3, "append-after-ref:3": 4} {
		dir := newRepo(t)
		s := open(t, dir, Config{})
		create(t, s, "x")
		child := again(t, appenderDir+"="+dir, "GIT_FLOWER_CRASH="+point)
		out, err := child.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Exited() {
			t.Fatalf("%s: the appender was not killed: %v", point, err)
		}
		if n := strings.Count(string(out), "\n"); n != 2 {
			t.Errorf("%s: %d records were acknowledged", point, n)
		}
		if n := len(entries(t, s, "x")); n != want {
			t.Errorf("%s: %d records are there, not %d", point, n, want)
		}
		sound(t, dir)
		if problems, err := s.Fsck(t.Context(), "x"); err != nil || len(problems) > 0 {
			t.Errorf("%s: %v, %v", point, problems, err)
		}
	}
}
