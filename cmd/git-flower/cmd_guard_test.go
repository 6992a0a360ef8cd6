package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// guard runs the command with text on its standard input.
func (d *desk) guard(code int, in string, words ...string) {
	d.t.Helper()
	d.reset()
	d.env.In = strings.NewReader(in)
	if got := run(d.t.Context(), append([]string{"guard"}, words...), d.env); got != code {
		d.t.Fatalf("guard %q exits %d, want %d\n%s%s", words, got, code, d.out.String(), d.err.String())
	}
}

func TestGuardGlance(t *testing.T) {
	for _, c := range []struct {
		words []string
		in    string
		want  []string // how the lines begin
	}{
		{[]string{"-z"}, "git status\x00rm -rf x\x00ls\ntouch x\x00ls\nls\x00", []string{"yes", "no\t", "no\t", "yes"}},
		{[]string{"--null"}, "ls\x00\x00ls", []string{"yes", "no\t", "yes"}}, // an empty one, and one without an end
		{nil, "ls\nrm x\n", []string{"yes", "no\t"}},
		{nil, "ls\xff\nls " + strings.Repeat("x", 3<<20) + "\nls", []string{"no\t", "no\t", "yes"}},
		{nil, "", nil},
	} {
		d := newDesk(t)
		d.guard(0, c.in, append([]string{"glance"}, c.words...)...)
		lines := strings.Split(strings.TrimSuffix(d.out.String(), "\n"), "\n")
		if len(c.want) == 0 && d.out.Len() == 0 {
			continue
		}
		if len(lines) != len(c.want) {
			t.Fatalf("%q: %q", c.in[:min(len(c.in), 40)], lines)
		}
		for i, line := range lines {
			if !strings.HasPrefix(line, c.want[i]) || line != "yes" && len(line) < 20 {
				t.Errorf("%q: line %d is %q", c.in[:min(len(c.in), 40)], i+1, line)
			}
		}
	}
}

func TestGuardCall(t *testing.T) {
	for in, want := range map[string]callDecision{
		`{"role":"coordinator","tool":"Bash","input":{"command":"git status"},"dir":"/repo"}`:              {Allow: true},
		`{"role":"coordinator","tool":"Bash","input":{"command":"git -C /repo  status"},"dir":"/repo"}`:    {Allow: true, Input: json.RawMessage(`{"command":"git -C /repo status"}`)},
		`{"role":"coordinator","tool":"Bash","input":{"command":"cat .env"},"dir":"/repo"}`:                {Reason: "secrets"},
		`{"role":"coordinator","tool":"Bash","input":{"command":"touch x"},"dir":"/repo"}`:                 {Reason: "dispatch"},
		`{"role":"coordinator","tool":"Edit","input":{"file_path":"/repo/x"},"dir":"/repo"}`:               {Reason: "dispatch"},
		`{"role":"coordinator","tool":"dispatch","input":{},"dir":"/repo"}`:                                {Allow: true},
		`{"role":"worker","agent":"coder-1","tool":"Write","input":{"file_path":"/tree/x"},"dir":"/tree"}`: {Allow: true},
		`{"role":"worker","agent":"coder-1","tool":"Write","input":{"file_path":"/other"},"dir":"/tree"}`:  {Reason: "outside"},
		`{"role":"judge","tool":"Bash","input":{"command":"ls"},"dir":"/tree"}`:                            {Reason: "has no Bash"},
		`{"role":"king","tool":"Read","input":{"file_path":"/x"},"dir":"/"}`:                               {Reason: "no role 'king'"},
		`{"role":7}`: {Reason: "JSON"},
		`ls`:         {Reason: "JSON"},
		``:           {Reason: "JSON"},
	} {
		d := newDesk(t)
		d.guard(0, in+"\n", "call")
		var got callDecision
		if err := json.Unmarshal(d.out.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v in %q", in, err, d.out.String())
		}
		if got.Allow != want.Allow || !strings.Contains(got.Reason, want.Reason) || !got.Allow && got.Reason == "" || !bytes.Equal(got.Input, want.Input) {
			t.Errorf("%s: %s", in, d.out.String())
		}
	}
}

func TestGuardIsCalledWrongly(t *testing.T) {
	for _, words := range [][]string{nil, {"x"}, {"call", "-z"}, {"glance", "ls"}} {
		d := newDesk(t)
		d.guard(129, "ls\n", words...)
		if d.out.Len() > 0 {
			t.Errorf("%q: %q", words, d.out.String())
		}
	}
}
