package guards_test

import (
	"encoding/json"
	"strings"
	"testing"

	"git-flower/guards"
)

// Every refusal says what was wrong and shows a way that is open. Run with -v to
// read them all.
func TestRefusalsReadWell(t *testing.T) {
	judge := guards.Policy{Role: "judge", Tools: []string{"verdict", "Read", "Write", "Bash"}, Readable: []string{"/tree/1"}}
	bare := guards.Policy{Role: "oracle"}
	agents := guards.Policy{Role: "coordinator", Tools: []string{"Agent"}, Kinds: []string{"coder", "tester"}}
	alone := guards.Policy{Role: "worker", Tools: []string{"Agent"}}
	linked := worker
	linked.Places = disk{
		"/tree/1/out": {Path: "/home/me", Kind: guards.Folder}, "/tree/1/pipe": {Path: "/tree/1/pipe"}, "/tree/1/loop": {},
		"/tree/1/shared": {Path: "/tree/1/shared", Kind: guards.File, Shared: true}, "/tree/1/nowhere": {Path: "/tree/1/nowhere", Kind: guards.Dangling},
	}
	huge, _ := json.Marshal(map[string]string{"content": strings.Repeat("x", 5<<20)})
	for _, c := range []struct {
		name   string
		policy guards.Policy
		tool   string
		input  string
		way    string // words that show it
	}{
		{"a tool it has not", worker, "WebSearch", `{}`, "Read, Write"},
		{"a tool a coordinator has not", coordinator, "Grep", `{}`, "dispatch"},
		{"no tools at all", bare, "Read", `{}`, "answer from"},
		{"a coordinator writes", coordinator, "Write", `{"file_path":"/repo/a"}`, "dispatch"},
		{"a judge writes", judge, "Write", `{"file_path":"/tree/1/a"}`, "into your answer"},
		{"a sub-agent nobody declared", agents, "Agent", `{"subagent_type":"general-purpose"}`, "coder, tester"},
		{"no sub-agents", alone, "Agent", `{"subagent_type":"coder"}`, "tools you have"},
		{"no object", worker, "Read", `[]`, "schema"},
		{"no path", worker, "Read", `{}`, "file_path"},
		{"outside", worker, "Write", `{"file_path":"/etc/passwd"}`, "stay below '/tree/1'"},
		{"through a link", linked, "Write", `{"file_path":"out/x"}`, "stay below '/tree/1'"},
		{"a loop of links", linked, "Read", `{"file_path":"loop"}`, "without links"},
		{"a pipe", linked, "Read", `{"file_path":"pipe"}`, "regular files"},
		{"a link to nothing", linked, "Write", `{"file_path":"nowhere"}`, "path you mean"},
		{"a hard link", linked, "Edit", `{"file_path":"shared"}`, "cp"},
		{"a secret", worker, "Read", `{"file_path":"config/.env"}`, "May be read: config/.env"},
		{"a secret by pattern", worker, "Glob", `{"pattern":"**/.env"}`, "person"},
		{"the system's", guards.Policy{Role: "worker", Tools: []string{"Read"}, Roots: []string{"/"}}, "Read", `{"file_path":"/proc/self/environ"}`, "own path"},
		{"a tilde", worker, "Read", `{"file_path":"~/x"}`, "out"},
		{"two lines", worker, "Read", `{"file_path":"a\nb"}`, "one path"},
		{"another system's", worker, "Read", `{"file_path":"C:\\x"}`, "/directory/file"},
		{"a share", worker, "Read", `{"file_path":"\\\\server\\x"}`, "working directory"},
		{"a pattern that climbs", worker, "Glob", `{"pattern":"../*"}`, "directory as the path"},
		{"a pattern with a root", worker, "Glob", `{"pattern":"{/etc,x}/*"}`, "directory as the path"},
		{"too much", worker, "Write", string(huge), "smaller calls"},
	} {
		d := c.policy.Decide(guards.Call{Role: c.policy.Role, Tool: c.tool, Dir: "/tree/1", Input: json.RawMessage(c.input)})
		readsWell(t, c.name, d.Reason, c.way)
	}
	d := worker.Decide(guards.Call{Role: "worker", Agent: "general-purpose", Tool: "Read", Dir: "/tree/1", Input: json.RawMessage(`{}`)})
	readsWell(t, "a stranger", d.Reason, "report")
	d = worker.Decide(guards.Call{Role: "judge", Tool: "Read", Dir: "/tree/1", Input: json.RawMessage(`{}`)})
	readsWell(t, "another role", d.Reason, "end your turn")

	var s session
	loop := bash("make")
	s.times(5, loop, "error")
	for i, way := range []string{"work with it", "smaller part", "end your turn", "change something", "change something"} {
		_, reason := s.make(loop, "error")
		readsWell(t, "a loop, "+[]string{"first", "second", "third", "fourth", "fifth"}[i]+" time", reason, way)
	}
	var past []guards.Made
	out := call("worker", "Write", `{"file_path":"/etc/x"}`)
	for _, way := range []string{"stay below", "another way", "what stays open", "ending your turn"} {
		readsWell(t, "said again", guards.Told(past, out, worker.Decide(out)).Reason, way)
		past = guards.Remember(past, guards.Refused(out))
	}
}

// readsWell holds a refusal to what all have in common.
func readsWell(t *testing.T, name, reason, way string) {
	t.Helper()
	t.Logf("%-28s %s", name, reason)
	if !strings.Contains(reason, way) {
		t.Errorf("%s: no %q", name, way)
	}
	for _, never := range []string{"permission", "forbidden", "error", "not allowed", "cannot proceed", "impossible", "violation", "!"} {
		if strings.Contains(strings.ToLower(reason), never) {
			t.Errorf("%s: %q teaches helplessness", name, never)
		}
	}
	if n := len([]rune(reason)); n == 0 || n > 600 {
		t.Errorf("%s: %d characters", name, n)
	}
}
