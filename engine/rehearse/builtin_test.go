package rehearse

import "testing"

// Every script that comes with the tool can be parsed.
func TestBuiltins(t *testing.T) {
	all := Builtins()
	if len(all) < 3 {
		t.Fatalf("got %q", all)
	}
	for _, name := range all {
		if _, err := Builtin(name); err != nil {
			t.Error(err)
		}
	}
}
