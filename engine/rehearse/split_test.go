package rehearse

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// Splitting says the same as encoding/json.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{`{}`, `[]`, `{"a":1}`, `{"a" : [1, {"b":"]}"}] , "c":"\"\\" }`, `[1,"a,b",[],{}, null ]`, `["\u00e4\ud83d\ude00\/\n\"\\"]`,
		`{"a\u0041":" x ", "a":{"a":[[["b"]]]}, "a":2}`, ` [ "x" ] `, `{"":""}`, `[-1.5e3,true,false]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) || loneSurrogate(raw) || !bytes.Equal(bytes.ToValidUTF8(raw, nil), raw) {
			t.Skip()
		}
		switch first(raw) {
		case '{':
			var want map[string]json.RawMessage
			json.Unmarshal(raw, &want)
			if got := members(raw); !same(got, want) {
				t.Errorf("%s: %s, want %s", raw, got, want)
			}
		case '[':
			want := []json.RawMessage{}
			json.Unmarshal(raw, &want)
			if got := listed(raw); !same(got, want) {
				t.Errorf("%s: %s, want %s", raw, got, want)
			}
		case '"':
			var want string
			json.Unmarshal(raw, &want)
			if got := unquote(bytes.TrimSpace(raw)); got != want {
				t.Errorf("%s: %q, want %q", raw, got, want)
			}
		}
	})
}

func same(a, b any) bool { return reflect.DeepEqual(a, b) }
