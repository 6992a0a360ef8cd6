package proxy

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"git-flower/engine/harness"
)

// claude is the CLI that the environment names, or the one on PATH.
func claude(t *testing.T) string {
	if testing.Short() {
		t.Skip("the Claude Code CLI takes a second to start")
	}
	if path := os.Getenv("GIT_FLOWER_TEST_CLAUDE"); path != "" {
		return path
	}
	path, err := exec.LookPath("claude")
	if err != nil {
		t.Skip("no Claude Code CLI: GIT_FLOWER_TEST_CLAUDE is not set, and 'claude' is not on PATH")
	}
	return path
}

// The real CLI asks once when the API is overloaded, and carries the turn on
// without the model seeing how.
func TestRealCLI(t *testing.T) {
	path := claude(t)
	var mu sync.Mutex
	var bodies []string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		bodies = append(bodies, string(body))
		first := len(bodies) == 1
		mu.Unlock()
		if first {
			refuse(w, 529, "overloaded_error", "Overloaded")
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(eventStream())
	}))
	t.Cleanup(api.Close)
	b := newBench(t, api.URL)
	home, dir := t.TempDir(), t.TempDir()
	run := func(args ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, append([]string{"--print", "--model=opus", "--setting-sources=", "--strict-mcp-config"}, args...)...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CLAUDE_CONFIG_DIR=" + home, "TMPDIR=" + t.TempDir(), "IS_SANDBOX=1",
			"ANTHROPIC_BASE_URL=" + b.proxy.URL(), "ANTHROPIC_API_KEY=" + b.pass.Key(), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		_ = cmd.Run() // it fails when the turn did
		return out.String()
	}
	const session = "0b0f8a52-6f0c-4f4e-9d5b-2f4f4a1c7e11"
	out := run("--session-id="+session, "What is below?")
	if f := b.pass.Fault(); f == nil || f.Class != harness.Overloaded || len(bodies) != 1 {
		t.Fatalf("fault %+v, %d requests\n%s", f, len(bodies), out)
	}
	b.pass.Begin()
	out = run("--resume="+session, words)
	if len(bodies) != 2 || !strings.Contains(out, "<") || b.pass.Fault() != nil {
		t.Fatalf("%d requests, fault %v\n%s", len(bodies), b.pass.Fault(), out)
	}
	if last := bodies[1]; !strings.Contains(last, "What is below?") || strings.Contains(last, words) || strings.Contains(last, notAsked) || strings.Contains(last, b.pass.Key()) {
		t.Errorf("sent %s", last)
	}
	if told := b.told(); len(told) != 1 || !told[0].main {
		t.Errorf("told %+v", told)
	}
}
