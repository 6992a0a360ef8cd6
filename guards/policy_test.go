package guards_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-flower/guards"
)

var (
	coordinator = guards.Policy{Role: "coordinator", Tools: []string{"dispatch", "ask", "Read", "Bash", "Write"}, Glance: true, Roots: []string{"/repo"}}
	worker      = guards.Policy{Role: "worker", Tools: []string{"Read", "Write", "Edit", "Bash", "Glob", "Grep", "NotebookEdit"},
		Roots: []string{"/tree/1", "/bench/"}, Readable: []string{"/usr/lib/go"}}
)

func call(role, tool, input string) guards.Call {
	return guards.Call{Role: role, Tool: tool, Dir: "/tree/1", Input: json.RawMessage(input)}
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		policy guards.Policy
		call   guards.Call
		allow  bool
	}{
		{guards.Policy{}, call("", "Read", `{"file_path":"/repo/x"}`), false},
		{guards.Policy{Tools: []string{"Todo"}}, call("", "Todo", `{}`), false},
		{coordinator, call("coordinator", "dispatch", `{}`), true},
		{coordinator, call("worker", "dispatch", `{}`), false},
		{coordinator, call("coordinator", "Dispatch", `{}`), false},
		{coordinator, call("coordinator", "Agent", `{}`), false},
		{coordinator, call("coordinator", "Write", `{"file_path":"/repo/x"}`), false}, // though it is listed
		{coordinator, call("coordinator", "Read", `{"file_path":"/repo/x"}`), true},
		{coordinator, call("coordinator", "Bash", `{"command":"git status"}`), true},
		{coordinator, call("coordinator", "Bash", `{"command":"git commit"}`), false},
		{coordinator, call("coordinator", "Bash", `{"command":"git status","run_in_background":true}`), false},
		{coordinator, call("coordinator", "Bash", `{"command":"git status","run_in_background":"yes"}`), false},
		{coordinator, call("coordinator", "Bash", `{"Command":"git status"}`), false},
		{coordinator, call("coordinator", "Bash", `{"command":["git","status"]}`), false},
		{coordinator, call("coordinator", "Bash", `null`), false},
		{coordinator, call("coordinator", "Bash", ``), false},

		{worker, call("worker", "Bash", `{"command":"rm -rf x"}`), true}, // the fence's business
		{worker, call("worker", "WebFetch", `{}`), false},
		{worker, call("worker", "Write", `{"file_path":"/tree/1/a"}`), true},
		{worker, call("worker", "Write", `{"file_path":"a/b"}`), true},
		{worker, call("worker", "Write", `{"file_path":"/bench/notes/a"}`), true},
		{worker, call("worker", "Write", `{"file_path":"/tree/12/a"}`), false},
		{worker, call("worker", "Write", `{"file_path":"/tree"}`), false},
		{worker, call("worker", "Write", `{"file_path":"../2/a"}`), false},
		{worker, call("worker", "Write", `{"file_path":"/tree/1/../2/a"}`), false},
		{worker, call("worker", "Write", `{"file_path":"..a/b"}`), true},
		{worker, call("worker", "Write", `{"file_path":"~/a"}`), false},
		{worker, call("worker", "Write", `{"file_path":"a\u0000b"}`), false},
		{worker, call("worker", "Write", `{"file_path":""}`), false},
		{worker, call("worker", "Write", `{"file_path":7}`), false},
		{worker, call("worker", "Write", `{"FILE_PATH":"/tree/1/a"}`), false},
		{worker, call("worker", "Write", `{}`), false},
		{worker, call("worker", "Write", `[]`), false},
		{worker, call("worker", "Write", `{"file_path":"/usr/lib/go/x"}`), false},
		{worker, call("worker", "Read", `{"file_path":"/usr/lib/go/x"}`), true},
		{worker, call("worker", "Read", `{"file_path":"/etc/passwd"}`), false},
		{worker, call("worker", "Read", `{"file_path":".env"}`), false},
		{worker, call("worker", "Read", `{"file_path":".Env.Production"}`), false},
		{worker, call("worker", "Write", `{"file_path":".env"}`), false},
		{worker, call("worker", "Read", `{"file_path":".env.example"}`), true},
		{worker, call("worker", "Read", `{"file_path":"environment.go"}`), true},
		{worker, call("worker", "Read", `{"file_path":"home/.ssh/config"}`), false},
		{worker, call("worker", "NotebookEdit", `{"notebook_path":"/etc/x"}`), false},
		{worker, call("worker", "NotebookEdit", `{"notebook_path":"a.ipynb","file_path":"/etc/x"}`), true}, // not a key of that tool

		{worker, call("worker", "Glob", `{"pattern":"**/*.go"}`), true},
		{worker, call("worker", "Glob", `{"pattern":"*","path":"/etc"}`), false},
		{worker, call("worker", "Glob", `{"pattern":"/etc/*"}`), false},
		{worker, call("worker", "Glob", `{"pattern":"/tree/1/*"}`), true},
		{worker, call("worker", "Glob", `{"pattern":"/tree/1*"}`), false},
		{worker, call("worker", "Glob", `{"pattern":"../*"}`), false},
		{worker, call("worker", "Glob", `{"pattern":"{..,x}/*"}`), false},
		{worker, call("worker", "Glob", `{"pattern":"{/etc,x}/*"}`), false},
		{worker, call("worker", "Glob", `{"pattern":"{x,/etc}/*"}`), false},
		{worker, call("worker", "Glob", `{"pattern":"\\/etc/*"}`), false},
		{worker, call("worker", "Glob", `{"pattern":"**/.env"}`), false},
		{worker, call("worker", "Grep", `{"pattern":"x"}`), true},
		{worker, call("worker", "Grep", `{"pattern":"../x","path":null}`), true}, // an expression, no path
		{worker, call("worker", "Grep", `{"pattern":"x","path":"/"}`), false},
		{worker, call("worker", "Grep", `{"pattern":"x","glob":".env*"}`), true},
		{worker, call("worker", "Grep", `{"pattern":"x","glob":".env"}`), false},

		{guards.Policy{Role: "r", Tools: []string{"Read"}}, call("r", "Read", `{"file_path":"/x"}`), false},
		{guards.Policy{Role: "r", Tools: []string{"Read"}, Roots: []string{"relative"}}, call("r", "Read", `{"file_path":"relative"}`), false},
		{guards.Policy{Role: "r", Tools: []string{"Read"}, Roots: []string{"/"}}, call("r", "Read", `{"file_path":"/x"}`), true},
		{guards.Policy{Role: "r", Tools: []string{"Read"}, Roots: []string{"/"}}, guards.Call{Role: "r", Tool: "Read", Input: json.RawMessage(`{"file_path":"x"}`)}, false},
	} {
		d := c.policy.Decide(c.call)
		if d.Allow != c.allow {
			t.Errorf("%s %s %s: %v (%s)", c.policy.Role, c.call.Tool, c.call.Input, d.Allow, d.Reason)
		}
		if d.Allow == (d.Reason != "") {
			t.Errorf("%s %s: allow %v with the reason %q", c.call.Tool, c.call.Input, d.Allow, d.Reason)
		}
	}
}

// The command that comes back is the printed one, beside what else was given.
func TestAGlanceIsRewritten(t *testing.T) {
	d := coordinator.Decide(call("coordinator", "Bash", `{"description":"<see>","command":"git   status # so\nls","timeout":1000}`))
	var got struct {
		Command, Description string
		Timeout              int
	}
	if err := json.Unmarshal(d.Input, &got); err != nil || !d.Allow {
		t.Fatal(err, d.Reason)
	}
	if got.Command != "git status\nls" || got.Description != "<see>" || got.Timeout != 1000 {
		t.Errorf("%+v", got)
	}
}

// Of two values of one key the tool may take either, so only one may come back.
func TestARepeatedKeyIsDecided(t *testing.T) {
	d := coordinator.Decide(call("coordinator", "Bash", `{"command":"rm x","command":"ls"}`))
	if d.Allow && strings.Contains(string(d.Input), "rm") {
		t.Errorf("%s", d.Input)
	}
	if !d.Allow || d.Input == nil {
		t.Errorf("refused, or passed on as it was: %s", d.Reason)
	}
}

// A refusal names what to do instead.
func TestRefusalsShowTheWay(t *testing.T) {
	for want, d := range map[string]guards.Decision{
		"dispatch":   coordinator.Decide(call("coordinator", "Edit", `{}`)),
		"worker":     coordinator.Decide(call("coordinator", "Bash", `{"command":"make"}`)),
		"/tree/1":    worker.Decide(call("worker", "Write", `{"file_path":"/x"}`)),
		"Read, ":     worker.Decide(call("worker", "WebSearch", `{}`)),
		"person":     worker.Decide(call("worker", "Read", `{"file_path":".env"}`)),
		"file_path":  worker.Decide(call("worker", "Read", `{}`)),
		"git status": coordinator.Decide(call("coordinator", "Bash", `{"command":"$(x)"}`)),
	} {
		if d.Allow || !strings.Contains(d.Reason, want) {
			t.Errorf("no %q in %q", want, d.Reason)
		}
	}
}

// Whatever the path is made of, what is allowed lies below a root.
func TestNoPathLeavesTheRoots(t *testing.T) {
	part := rapid.SampledFrom([]string{"..", ".", "a", "", "tree", "1", "/", "//", "...", "~", "x y"})
	rapid.Check(t, func(rt *rapid.T) {
		path := strings.Join(rapid.SliceOfN(part, 0, 8).Draw(rt, "parts"), "/")
		d := worker.Decide(call("worker", "Write", fmt.Sprintf(`{"file_path":%q}`, path)))
		if d.Allow && !strings.HasPrefix(resolve(path), "/tree/1") && !strings.HasPrefix(resolve(path), "/bench") {
			rt.Errorf("%q is allowed, and is %q", path, resolve(path))
		}
	})
}

// resolve walks a path by hand, from /tree/1, as the kernel would without links.
func resolve(path string) string {
	at := []string{"tree", "1"}
	if strings.HasPrefix(path, "/") {
		at = nil
	}
	for _, p := range strings.Split(path, "/") {
		switch {
		case p == ".." && len(at) > 0:
			at = at[:len(at)-1]
		case p != "" && p != "." && p != "..":
			at = append(at, p)
		}
	}
	return "/" + strings.Join(at, "/")
}

func FuzzDecide(f *testing.F) {
	f.Add("Bash", `{"command":"ls"}`)
	f.Add("Write", `{"file_path":"a"}`)
	f.Add("Glob", `{"pattern":"{a,b}/**"}`)
	f.Fuzz(func(t *testing.T, tool, input string) {
		for _, p := range []guards.Policy{coordinator, worker} {
			d := p.Decide(guards.Call{Role: p.Role, Tool: tool, Dir: "/tree/1", Input: json.RawMessage(input)})
			if strings.Contains(d.Reason, "could not be judged") {
				t.Errorf("a wall panicked: %s", d.Reason)
			}
		}
	})
}
