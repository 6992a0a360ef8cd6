package proxy

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzRaw compares the splitting with encoding/json: the same values, and their
// very bytes.
func FuzzRaw(f *testing.F) {
	for _, s := range []string{`{}`, `[]`, ` { "a" : [ 1 , "x\"]" , { } ] , "a\u0062":null } `, `[{"k":"\\"},[[]],-1e3,true]`, `"x"`, `7`, "[1\n,\t2]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) == nil {
			fs := fields(raw)
			seen := map[string]bool{}
			for _, f := range fs {
				seen[f.key] = true
				if !bytes.Equal(raw[f.at:f.at+len(f.value)], f.value) {
					t.Fatalf("value of '%s' is not where it is said to be", f.key)
				}
			}
			for key, want := range object {
				if got := value(raw, key); !bytes.Equal(got, want) {
					t.Fatalf("'%s' is %s, want %s", key, got, want)
				}
			}
			if len(seen) != len(object) {
				t.Fatalf("%d keys, want %d", len(seen), len(object))
			}
		}
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil {
			es := elements(raw)
			if len(es) != len(list) {
				t.Fatalf("%d elements, want %d", len(es), len(list))
			}
			for i, want := range list {
				if !bytes.Equal(es[i], want) {
					t.Fatalf("element %d is %s, want %s", i, es[i], want)
				}
			}
			if !json.Valid(array(es)) {
				t.Fatalf("not JSON: %s", array(es))
			}
		}
	})
}
