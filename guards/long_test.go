package guards_test

import (
	"strings"
	"testing"
	"time"

	"git-flower/guards"
)

// Judging takes time in the length of the command, however often a loop has a
// long word judged: a whole session waits for it.
func TestLongLooksAreJudgedInTime(t *testing.T) {
	nested := "for a in {1..99}; do for b in {1..99}; do ls; done; done"
	for name, body := range map[string]string{
		"awk":      "awk '" + strings.Repeat("a=1;", 3500) + "' x",
		"sed":      "sed -n '" + strings.Repeat("p;", 7000) + "' x",
		"path":     "cat " + strings.Repeat("a/", 7000),
		"commands": strings.Repeat("command ", 1800) + "ls",
		"shell":    "bash -c '" + strings.Replace(nested, "{1..99}", "{1..20}", 1) + "'",
		"shells":   "bash -c \"bash -c '" + nested + "'\"",
	} {
		began := time.Now()
		_, ok, why := guards.Glance("for a in {1..99}; do for b in {1..99}; do " + body + "; done; done")
		if took := time.Since(began); ok || !strings.Contains(why, "too long") || took > 2*time.Second {
			t.Errorf("%s: %v after %v: %s", name, ok, took, why)
		}
	}
}

// A value made of itself doubles with every few bytes of the command.
func TestValuesDoNotGrowWithoutEnd(t *testing.T) {
	for _, double := range []string{"x=$x$x; ", "x=\"$x$x\"; ", "x=\"${x}\"$x; "} {
		if _, ok, why := guards.Glance("x=ab; " + strings.Repeat(double, 19) + "ls $x"); ok || !strings.Contains(why, "too long") {
			t.Errorf("%q: %v, %s", double, ok, why)
		}
	}
	if _, ok, why := guards.Glance("x=ab; x=$x$x; x=$x/$x; ls $x"); !ok {
		t.Error(why)
	}
}
