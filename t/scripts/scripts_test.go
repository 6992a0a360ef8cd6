package scripts

import "testing"

func TestReport(t *testing.T) {
	for out, fine := range map[string]bool{
		"ok 1 - a\nok 2 - b # skip missing X\n1..2\n": true,
		"not ok 1 - a # TODO known bug\n1..1\n":       true,
		"1..0 # skip no sh\n":                         true,
		"ok 1 - a\n# a comment\n":                     false,
		"ok 1 - a\n1..2\n":                            false,
		"ok 1 - a\nok 3 - b\n1..2\n":                  false,
		"not ok 1 - a\n1..1\n":                        false,
		"":                                            false,
	} {
		if err := read([]byte(out)).check(); (err == nil) != fine {
			t.Errorf("%q: %v", out, err)
		}
	}
}
