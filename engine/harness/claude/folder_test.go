package claude

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"git-flower/engine/transcript"
)

const resumedID = "5b1f6a52-3c07-4d54-9d0e-1f6f7c1d2a33"

// Keys that the CLI 2.1.332 made of these directories.
func TestProjectKey(t *testing.T) {
	for path, want := range map[string]string{
		"/home/a/my proj+1":                        "-home-a-my-proj-1",
		"/tmp/ctrans/l_dots/.a_b-c+d":              "-tmp-ctrans-l-dots--a-b-c-d",
		"/tmp/ctrans/l_cjk/中文 目录":                  "-tmp-ctrans-l-cjk------",
		"/tmp/ctrans/l_emoji/a😀b":                  "-tmp-ctrans-l-emoji-a--b",
		"/tmp/ctrans/l_combining/cafe\u0301 e":     "-tmp-ctrans-l-combining-cafe--e",
		"/tmp/ctrans/l_long/" + repeat("x", 60, 5): "-tmp-ctrans-l-long" + cut(strings.Repeat("-"+strings.Repeat("x", 60), 5), 182) + "-d3fpp9",
		"/tmp/ctrans/l_longcjk/" + repeat("中", 60, 3) + "/" + strings.Repeat("y", 40): "-tmp-ctrans-l-longcjk" + strings.Repeat("-", 179) + "-6y5f4i",
		"/tmp/ctrans/l_longemoji/" + repeat("😀", 50, 3):                               "-tmp-ctrans-l-longemoji" + strings.Repeat("-", 177) + "-r2uc1d",
	} {
		if got := projectKey(path); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", path, got, want)
		}
	}
}

func repeat(s string, n, parts int) string {
	return strings.TrimSuffix(strings.Repeat(strings.Repeat(s, n)+"/", parts), "/")
}

func cut(s string, n int) string { return s[:n] }

func TestMirrorKey(t *testing.T) {
	for _, c := range []struct {
		path           string
		session, agent string
	}{
		{"/c/projects/-a-b/" + resumedID + ".jsonl", resumedID, ""},
		{"/c/projects/-a-b/" + resumedID + "/subagents/agent-a1.jsonl", resumedID, "agent-a1"},
		{"/c/projects/-a-b/" + resumedID + "/subagents/deep/agent-a1.jsonl", resumedID, "agent-a1"},
		{"/c/projects/-a-b/" + resumedID + "/subagents/agent-a1.meta.json", "", ""},
		{"/c/projects/-a-b/" + resumedID + "/tool-results/x.jsonl", "", ""},
		{"/c/projects/" + resumedID + ".jsonl", "", ""},
		{"/c/projects/../../etc/x.jsonl", "", ""},
		{"/other/projects/-a-b/" + resumedID + ".jsonl", "", ""},
		{"/c/projects/-a-b/..jsonl", "", ""},
		{"relative/x.jsonl", "", ""},
		{"", "", ""},
	} {
		session, agent, ok := mirrorKey("/c", c.path)
		if session != c.session || agent != c.agent || ok != (c.session != "") {
			t.Errorf("%q is %q, %q, %v", c.path, session, agent, ok)
		}
	}
}

func TestWriteTranscript(t *testing.T) {
	config, cwd := t.TempDir()+"/config", t.TempDir()
	entries := []json.RawMessage{[]byte(`{"a":"1"}`), []byte("{\"b\":\n \"2\"}")}
	if err := writeTranscript(config, cwd, resumedID, entries); err != nil {
		t.Fatal(err)
	}
	at, _ := filepath.EvalSymlinks(cwd)
	dir := filepath.Join(config, "projects", projectKey(at))
	path := filepath.Join(dir, resumedID+".jsonl")
	if got, _ := os.ReadFile(path); string(got) != "{\"a\":\"1\"}\n{\"b\":\"2\"}\n" {
		t.Errorf("wrote %q", got)
	}
	for path, want := range map[string]os.FileMode{path: 0o600, dir: 0o700 | os.ModeDir} {
		if i, err := os.Stat(path); err != nil || i.Mode() != want {
			t.Errorf("%s: %v, %v", path, i.Mode(), err)
		}
	}
	if writeTranscript(config, cwd, resumedID, nil) == nil {
		t.Error("a transcript was replaced")
	}
	for _, bad := range []string{"", "..", "a/b", "../x"} {
		if writeTranscript(config, cwd, bad, nil) == nil {
			t.Errorf("session %q was written", bad)
		}
	}
	if writeTranscript(config, cwd+"/none", resumedID, nil) == nil {
		t.Error("a directory that is not there was taken")
	}
	if left, _ := filepath.Glob(dir + "/*"); len(left) != 1 {
		t.Errorf("the folder holds %v", left)
	}
}

func TestWriteAgentTranscript(t *testing.T) {
	config, cwd := t.TempDir(), t.TempDir()
	entries := []json.RawMessage{[]byte(`{"type":"agent_metadata","n":1}`), []byte(`{"type":"user"}`), []byte(`{"type":"agent_metadata","n":2}`)}
	if err := writeAgentTranscript(config, cwd, resumedID, "agent-a1", entries); err != nil {
		t.Fatal(err)
	}
	dir, _ := projectDir(config, cwd)
	for name, want := range map[string]string{"agent-a1.jsonl": "{\"type\":\"user\"}\n", "agent-a1.meta.json": `{"n":2}`} {
		path := filepath.Join(dir, resumedID, "subagents", name)
		if got, err := os.ReadFile(path); string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if session, agent, ok := mirrorKey(config, filepath.Join(dir, resumedID, "subagents/agent-a1.jsonl")); !ok || session != resumedID || agent != "agent-a1" {
		t.Errorf("mirrored as %q, %q", session, agent)
	}
}

// realCLI is the CLI's path.
func realCLI(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("the Claude Code CLI takes a second to start")
	}
	path := os.Getenv("GIT_FLOWER_TEST_CLAUDE")
	if path == "" {
		path, _ = exec.LookPath("claude")
	}
	if path == "" {
		t.Skip("the Claude Code CLI is not installed (GIT_FLOWER_TEST_CLAUDE names it)")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Calls that were open when the process died are answered as we say.
func TestCLIResumesAnsweredCalls(t *testing.T) {
	path := realCLI(t)
	config, cwd := t.TempDir(), t.TempDir()
	h := history(t, "killed-open")
	for i, c := range slices.Clone(h.Open) {
		r := transcript.Result{UUID: fmt.Sprintf("0e0b7c0a-0000-4000-8000-00000000000%d", i), Time: time.Unix(0, 0), Text: "out of " + c.ID}
		if _, err := h.Answer(c.ID, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeTranscript(config, cwd, resumedID, h.Entries); err != nil {
		t.Fatal(err)
	}
	got := resume(t, path, config, cwd)
	want := append(messagesOf(t, h.Entries), "assistant: No response requested.", "user: the new words")
	if !slices.Equal(got, want) {
		t.Errorf("sent\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What is read from a store and written is what the CLI sends, message for message.
func TestCLIResumesWhatWasWritten(t *testing.T) {
	path := realCLI(t)
	for _, c := range []struct{ name, dir string }{
		{"tools", "my proj+1"}, {"fault", "中文 and 😀"}, {"hook", repeat("long", 20, 4)}, {"interrupt", "."}, {"branch", "."}, {"killed", "."}, {"compact", "."}, {"agent", "."},
	} {
		t.Run(c.name, func(t *testing.T) {
			config, cwd := t.TempDir(), filepath.Join(t.TempDir(), c.dir)
			if err := os.MkdirAll(cwd, 0o755); err != nil {
				t.Fatal(err)
			}
			h := history(t, c.name)
			if err := writeTranscript(config, cwd, resumedID, h.Entries); err != nil {
				t.Fatal(err)
			}
			got := resume(t, path, config, cwd)
			if want := append(messagesOf(t, h.Entries), "user: the new words"); !slices.Equal(got, want) {
				t.Errorf("sent\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			dir, _ := projectDir(config, cwd)
			if files, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", "*.jsonl")); len(files) != 1 || filepath.Dir(files[0]) != dir {
				t.Errorf("the CLI went on in %v, not in %s", files, dir)
			}
		})
	}
}

// history reads a transcript of the real CLI.
func history(t *testing.T, name string) *transcript.History {
	t.Helper()
	text, err := os.ReadFile("../../transcript/testdata/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var entries []json.RawMessage
	for line := range strings.Lines(string(text)) {
		entries = append(entries, json.RawMessage(line))
	}
	h, err := transcript.Read(entries, transcript.Options{CarryOn: "Carry on."})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// resume lets the CLI say something in a resumed session, and returns the messages
// of the request that it makes.
func resume(t *testing.T, path, config, cwd string) []string {
	t.Helper()
	var mu sync.Mutex
	var body []byte
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		body = b
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, saidYes)
	}))
	defer api.Close()
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), path, "--output-format", "stream-json", "--verbose", "--input-format", "stream-json",
		"--setting-sources=", "--strict-mcp-config", "--system-prompt-snapshot", "off", "--model", "opus", "--resume="+resumedID,
		"--settings", `{"attribution":{"commit":"","pr":""},"includeGitInstructions":false}`)
	cmd.Dir = cwd
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "CLAUDE_CONFIG_DIR=" + config, "ANTHROPIC_BASE_URL=" + api.URL,
		"ANTHROPIC_API_KEY=throw-away", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", "CLAUDE_CODE_MAX_RETRIES=0", "DISABLE_AUTO_COMPACT=1"}
	cmd.Stdin = strings.NewReader(`{"type":"user","session_id":"","message":{"role":"user","content":"the new words"},"parent_tool_use_id":null}` + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var request struct{ Messages []json.RawMessage }
	mu.Lock()
	defer mu.Unlock()
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatalf("no request: %v", err)
	}
	var all []string
	for _, m := range request.Messages {
		all = append(all, blocksOf(t, m)...)
	}
	return all
}

const saidYes = `event: message_start
data: {"type":"message_start","message":{"id":"msg_new","type":"message","role":"assistant","model":"claude-opus-5-5","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"yes"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}}

event: message_stop
data: {"type":"message_stop"}

`

func messagesOf(t *testing.T, entries []json.RawMessage) []string {
	t.Helper()
	var all []string
	for _, raw := range entries {
		var e struct {
			Type    string
			Message json.RawMessage
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		if e.Type == "user" || e.Type == "assistant" {
			all = append(all, blocksOf(t, e.Message)...)
		}
	}
	return all
}

// blocksOf are a message's blocks, one a line. What the CLI itself attaches is of
// another role.
func blocksOf(t *testing.T, message json.RawMessage) []string {
	t.Helper()
	var m struct {
		Role    string
		Content json.RawMessage
	}
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatal(err)
	}
	if m.Role == "system" {
		return nil
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return []string{m.Role + ": " + strings.TrimSpace(text)}
	}
	var blocks []map[string]any
	if err := json.Unmarshal(m.Content, &blocks); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, b := range blocks {
		delete(b, "cache_control")
		line, _ := json.Marshal(b)
		if text, ok := b["text"].(string); ok {
			line = []byte(strings.TrimSpace(text))
		}
		all = append(all, m.Role+": "+string(line))
	}
	return all
}
