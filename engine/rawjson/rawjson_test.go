package rawjson

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
			seen := map[string]bool{}
			for m := range Members(raw) {
				seen[string(m.Key)] = true
				if !bytes.Equal(raw[m.start:m.end], m.Value) {
					t.Fatalf("value of '%s' is not where it is said to be", m.Key)
				}
			}
			for key, want := range object {
				if got := Value(raw, key); !bytes.Equal(got, want) {
					t.Fatalf("'%s' is %s, want %s", key, got, want)
				}
			}
			if len(seen) != len(object) {
				t.Fatalf("%d keys, want %d", len(seen), len(object))
			}
		}
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil {
			es := Elements(raw)
			if len(es) != len(list) {
				t.Fatalf("%d elements, want %d", len(es), len(list))
			}
			for i, want := range list {
				if !bytes.Equal(es[i], want) {
					t.Fatalf("element %d is %s, want %s", i, es[i], want)
				}
			}
			if !json.Valid(Array(es)) {
				t.Fatalf("not JSON: %s", Array(es))
			}
		}
	})
}

func TestWithout(t *testing.T) {
	for from, want := range map[string]string{
		`{"a":1,"k":[2],"b":3}`: `{"a":1,"b":3}`, `{ "k" : 1 , "b":3}`: `{"b":3}`, `{"k":1}`: `{}`, `{"a": 1, "k": 2 } `: `{"a": 1 } `,
		`{"k":1, "k":2}`: `{}`, `{"a" : 1 , "b":2}`: `{"a" : 1 , "b":2}`,
		`{"k":1,"a":2,"k":3}`: `{"a":2}`, `{"a":{"k":1}}`: `{"a":{"k":1}}`,
	} {
		if got := string(Without([]byte(from), "k")); got != want {
			t.Errorf("%s: %s", from, got)
		}
	}
}

func TestWith(t *testing.T) {
	for from, want := range map[string]string{
		`{}`: `{"k":0}`, ` { } `: ` {"k":0 } `, `{"a":1}`: `{"k":0,"a":1}`, `{ "k" : [1] , "a":2}`: `{ "k" : 0 , "a":2}`,
		`{"k":1,"\u006b":2}`: `{"k":1,"\u006b":0}`, `{"a":{"k":1}}`: `{"k":0,"a":{"k":1}}`,
	} {
		if got := string(With([]byte(from), "k", []byte("0"))); got != want {
			t.Errorf("%s: %s", from, got)
		}
	}
}

func TestText(t *testing.T) {
	for raw, want := range map[string]string{
		`"a"`: "a", `""`: "", `"\"\\"`: `"\`, `"\u00e9é"`: "éé", `null`: "", `7`: "", `["a"]`: "", ``: "", "\"\xff\"": "\uFFFD",
	} {
		if got := Text([]byte(raw)); got != want {
			t.Errorf("%s: %q", raw, got)
		}
	}
}
