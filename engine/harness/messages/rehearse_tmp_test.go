package messages

import (
	"context"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/engine/rehearse"
	"git-flower/guards"
)

func TestTmpRehearse(t *testing.T) {
	script, err := rehearse.Parse([]byte(`about: test
fallback:
  turns:
    - say: I look.
      call: {tool: Glob, input: {pattern: "*"}}
    - say: I write.
      call: {tool: Write, input: {file_path: "a.txt", content: "x <&> y"}}
    - call: {tool: Read, input: {file_path: "a.txt"}}
    - say: "fin"
`))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := rehearse.Start(t.Context(), script, rehearse.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	h, err := New(Config{BaseURL: srv.URL(), APIKey: srv.Key(), Transcript: &harnesstest.Transcript{}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := h.Start(t.Context(), harness.Options{Session: sessionID, Dir: t.TempDir(), System: "Role: worker", Effort: "high",
		Tools:     []string{"Read", "Write", "Edit", "Bash", "Glob", "Grep", "TodoWrite"},
		Authorize: func(context.Context, guards.Call) guards.Decision { return guards.Allow() }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 {
		_ = s.Send(t.Context(), harness.Message{Text: "go"})
		for {
			e, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%T %+v", e, e)
			if en, ok := e.(harness.Ended); ok {
				if en.Fault != nil {
					t.Log(en.Fault)
				}
				break
			}
		}
	}
	t.Log(srv.Problems(), srv.Refusals())
}
