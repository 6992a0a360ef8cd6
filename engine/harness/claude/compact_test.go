package claude

import (
	"slices"
	"strconv"
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

// The CLI is told the window only where it compacts, and only one that it takes.
func TestCompactionKnowsTheWindow(t *testing.T) {
	for _, c := range []struct {
		compact bool
		window  int64
		want    bool
	}{{true, 100_000, true}, {true, 1_000_000, true}, {true, 99_999, false}, {true, 0, false}, {false, 200_000, false}} {
		args, err := arguments(harness.Options{Compact: c.compact, Window: c.window}, "opus", false)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.Index(args, "--autocompact")
		if told := i >= 0 && args[i+1] == strconv.FormatInt(c.window, 10); told != c.want || i >= 0 && !c.want {
			t.Errorf("%+v: %q", c, args)
		}
	}
}
