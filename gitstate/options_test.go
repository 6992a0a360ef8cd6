package gitstate

import "testing"

func TestOptionsHaveOneForm(t *testing.T) {
	for text, good := range map[string]bool{
		"rounds=5":             true,
		"rounds=1 budget=none": true,
		"rounds=3 jobs=2 asks=unlimited budget=25.000000 goal=yes clarify-only=no": true,
		"jobs=2 isolate=no": true,
		"plugin=0123456789012345678901234567890123456789": true,
		"plugin=plugin": false,
		"plugin=0123456789012345678901234567890123456789 jobs=2": false,
		"isolate=yes":               false,
		"asks=0":                    true,
		"budget=0.000001":           true,
		"budget=0.000000":           false,
		"budget=5":                  false,
		"budget=05.000000":          false,
		"budget=99999999999.000000": false,
		"rounds=0":                  false,
		"rounds=05":                 false,
		"rounds=5 ":                 false,
		"rounds=5  jobs=2":          false,
		"jobs=2 rounds=5":           false,
		"rounds=5 rounds=5":         false,
		"goal=true":                 false,
		"goal":                      false,
		"model=x":                   false,
		"instructions=/etc/passwd":  false,
		"":                          false,
	} {
		if why := wrongOptions(text); (why == "") != good {
			t.Errorf("'%s': %q", text, why)
		}
	}
}
