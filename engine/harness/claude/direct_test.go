package claude

import (
	"context"
	"fmt"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/guards"
	"git-flower/worktree/process"
)

// direct makes a session of the real CLI that talks to the API itself.
func direct(t *testing.T, stub *harnesstest.Stub, change func(*harness.Options)) harness.Session {
	t.Helper()
	h := newHarness(t, stub, &harnesstest.Transcript{}, func(c *Config) {
		c.Proxy = nil
		c.Login = []string{"ANTHROPIC_BASE_URL=" + stub.URL, "ANTHROPIC_API_KEY=" + stub.Key}
	})
	o := harness.Options{Session: fakeID, Role: "worker", Dir: t.TempDir(), System: "Role: worker", Tools: []string{"Bash"}, Env: process.Env(),
		Authorize: func(context.Context, guards.Call) guards.Decision { return guards.Allow() }}
	change(&o)
	s, err := h.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func turnOf(t *testing.T, s harness.Session, text string) (harness.Ended, []harness.Event) {
	return (&scene{t: t}).turn(s, text)
}

// With a login of the CLI's own every answer is counted once, also over turns.
func TestDirectRequestsAreCounted(t *testing.T) {
	stub := harnesstest.NewStub(t)
	purse := &harnesstest.Purse{}
	stub.Push(harnesstest.Use("toolu_1", "Bash", map[string]string{"command": "true"}).And(harnesstest.CallBlock("toolu_2", "Bash", map[string]string{"command": "true"})),
		harnesstest.Say("done"), harnesstest.Say("again"))
	s := direct(t, stub, func(o *harness.Options) { o.Gate = purse })
	var told []harness.Usage
	for _, words := range []string{"go", "and?"} {
		ended, events := turnOf(t, s, words)
		if ended.Stop != harness.StopDone {
			t.Fatalf("ended %+v", ended)
		}
		for _, e := range events {
			if r, ok := e.(harness.Responded); ok {
				told = append(told, r.Usage)
			}
		}
	}
	var sum harness.Usage
	for _, u := range told {
		sum = sum.Add(u)
	}
	if len(told) != 3 || purse.Admitted != 3 || purse.Open != 0 || purse.Spent != sum || sum.Output == 0 || len(purse.Wrong) > 0 {
		t.Errorf("told %v, purse %+v", told, purse)
	}
}

// A gate that refuses ends the turn before the next request.
func TestDirectRequestsAreRefused(t *testing.T) {
	for after := range 2 {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			stub := harnesstest.NewStub(t)
			purse := &harnesstest.Purse{}
			purse.Refuse = func(harness.Request) error {
				if purse.Admitted >= after {
					return fmt.Errorf("nothing left: %w", harness.ErrBudget)
				}
				return nil
			}
			stub.Push(harnesstest.Use("toolu_1", "Bash", map[string]string{"command": "touch made"}))
			ended, events := turnOf(t, direct(t, stub, func(o *harness.Options) { o.Gate = purse }), "go")
			if ended.Stop != harness.StopFault || ended.Fault.Class != harness.Budget {
				t.Errorf("ended %+v", ended)
			}
			if n := len(stub.Requests()); n != after || purse.Open != 0 {
				t.Errorf("%d requests, %d not settled", n, purse.Open)
			}
			for _, e := range events {
				if r, ok := e.(harness.ToolResult); ok {
					t.Errorf("the call was made: %+v", r)
				}
			}
		})
	}
}

// Without a proxy the CLI says what went wrong, and the turn can be carried on.
func TestDirectFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		reply harnesstest.Reply
		want  harness.Class
	}{
		"overloaded":  {harnesstest.Fail(529, "overloaded_error", "busy"), harness.Overloaded},
		"bad key":     {harnesstest.Fail(401, "authentication_error", "invalid x-api-key"), harness.Auth},
		"too long":    {harnesstest.Fail(400, "invalid_request_error", "prompt is too long: 2 tokens > 1 maximum"), harness.PromptTooLong},
		"server":      {harnesstest.Fail(500, "api_error", "broken"), harness.ServerError},
		"usage limit": {harnesstest.Fail(429, "rate_limit_error", "This request would exceed your rate limit"), harness.RateLimit},
	} {
		t.Run(name, func(t *testing.T) {
			stub := harnesstest.NewStub(t)
			failing := true
			stub.Answer = func(harnesstest.Received) harnesstest.Reply {
				if failing {
					return tt.reply
				}
				return harnesstest.Say("went on")
			}
			purse := &harnesstest.Purse{}
			s := direct(t, stub, func(o *harness.Options) { o.Gate = purse })
			if ended, _ := turnOf(t, s, "go"); ended.Stop != harness.StopFault || ended.Fault.Class != tt.want {
				t.Fatalf("ended %+v", ended)
			}
			failing = false
			if ended, _ := turnOf(t, s, ""); ended.Text != "went on" || purse.Open != 0 {
				t.Errorf("ended %+v, %d not settled", ended, purse.Open)
			}
		})
	}
}
