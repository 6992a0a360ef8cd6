package claude

import (
	"slices"
	"strings"
	"testing"

	"git-flower/engine/harness"
)

// Cases native-compaction-is-off-when-handoff-is-on and explicit-compact-is-respected
// of the original: two mechanisms at once, and nobody can tell which of them made a
// context shorter.
func TestCompactionIsOffUnlessAskedFor(t *testing.T) {
	for _, compact := range []bool{false, true} {
		o := harness.Options{Compact: compact, Env: []string{"DISABLE_AUTO_COMPACT=1", "DISABLE_COMPACT=1"}}
		args, err := arguments(o, "opus", false)
		if err != nil {
			t.Fatal(err)
		}
		if on := strings.Contains(strings.Join(args, " "), `"autoCompactEnabled":true`); on != compact {
			t.Errorf("asked for: %v, set: %v", compact, on)
		}
		env := environment(o, foldersIn("/x"), Config{}, "")
		if off := slices.Contains(env, "DISABLE_AUTO_COMPACT=1"); off == compact {
			t.Errorf("asked for: %v, the environment switches it off: %v", compact, off)
		}
		if slices.Contains(env, "DISABLE_COMPACT=1") {
			t.Error("the caller's environment decides")
		}
	}
}
