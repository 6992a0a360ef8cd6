package harnesstest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"git-flower/engine/harness"
	"git-flower/guards"
)

// A Purse is a Gate that counts. It may be used from several goroutines.
type Purse struct {
	// Refuse, when not nil, is asked at each Admit.
	Refuse func(harness.Request) error

	mu       sync.Mutex
	Open     int // admitted and not settled
	Admitted int
	Spent    harness.Usage
	Wrong    []string
}

// Admit counts an admission.
func (p *Purse) Admit(_ context.Context, r harness.Request) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Refuse != nil {
		if err := p.Refuse(r); err != nil {
			return err
		}
	}
	if r.Session == "" || r.Model == "" || r.Input <= 0 || r.MaxOutput <= 0 {
		p.Wrong = append(p.Wrong, fmt.Sprintf("request %+v", r))
	}
	p.Open++
	p.Admitted++
	return nil
}

// Settle counts a settlement.
func (p *Purse) Settle(ctx context.Context, r harness.Request, u harness.Usage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		p.Wrong = append(p.Wrong, "settled with a context that had ended")
	}
	if r.Input != 0 || r.MaxOutput != 0 {
		p.Open--
	}
	p.Spent = p.Spent.Add(u)
}

func (c *Case) checkPurse(p *Purse, admitted int) {
	c.Helper()
	if p.Open != 0 || p.Admitted != admitted || len(p.Wrong) > 0 {
		c.Errorf("%d admitted (want %d), %d not settled, %v", p.Admitted, admitted, p.Open, p.Wrong)
	}
}

func purse(c *Case) {
	p := &Purse{}
	c.Options.Gate = p
	c.Stub.Push(Use("toolu_1", "Bash", map[string]string{"command": "true"}), Fail(500, "api_error", "broken"),
		Reply{Blocks: []Block{TextBlock("half an answer")}, Cut: 4}, Say("ok"))
	s := c.start()
	c.turn(s, "go", harness.StopFault)
	c.turn(s, "", harness.StopFault)
	c.turn(s, "", harness.StopDone)
	c.checkPurse(p, 4)
	if p.Spent.Output == 0 || p.Spent.Input == 0 {
		c.Errorf("spent %+v", p.Spent)
	}
}

// hourCache: the harness is told that the endpoint keeps prompts an hour. What is asked
// for is what the purse is told, and it holds for all of a request.
func hourCache(c *Case) {
	for _, long := range []bool{true, false} {
		p := &Purse{Refuse: func(r harness.Request) error {
			if r.Hour != long {
				c.Errorf("waits long: %v, the purse is asked for an hour: %v", long, r.Hour)
			}
			return nil
		}}
		o := c.Options
		o.Gate, o.LongWaits = p, long
		if !long {
			o.Session = "5f0c2c4e-0b8e-4f2a-9a53-0f4c2f9b7d11"
		}
		c.Stub.Push(Use("toolu_1", "Bash", map[string]string{"command": "true"}), Say("ok"))
		s, err := c.Harness.Start(c.Ctx, o)
		if err != nil {
			c.Fatal(err)
		}
		c.turn(s, "go", harness.StopDone)
		if err := s.Close(); err != nil {
			c.Error(err)
		}
		body := string(c.Stub.Last().Body)
		marks, hours := strings.Count(body, `"cache_control":`), strings.Count(body, `"ttl":"1h"`)
		if marks == 0 || long && hours != marks || !long && hours != 0 {
			c.Errorf("waits long: %v, %d of %d marks are for an hour", long, hours, marks)
		}
	}
}

func fullPurse(c *Case) {
	p := &Purse{Refuse: func(harness.Request) error { return fmt.Errorf("nothing left: %w", harness.ErrBudget) }}
	c.Options.Gate = p
	ended, _ := c.turn(c.start(), "go", harness.StopFault)
	if ended.Fault.Class != harness.Budget {
		c.Errorf("fault %v", ended.Fault)
	}
	c.checkPurse(p, 0)
	if len(c.Stub.Requests()) != 0 {
		c.Error("a request was made all the same")
	}
}

func faultAndOn(c *Case) {
	busy := Fail(529, "overloaded_error", "busy")
	busy.Header = map[string][]string{"Retry-After": {"7"}}
	c.Stub.Push(Use("toolu_1", "Bash", map[string]string{"command": "echo out"}), busy, Say("ok"))
	s := c.start()
	ended, _ := c.turn(s, "go", harness.StopFault)
	f := ended.Fault
	if f.Class != harness.Overloaded || f.Status != 529 || f.RetryAfter.Seconds() != 7 {
		c.Errorf("fault %+v", f)
	}
	if n := len(c.Stub.Requests()); n != 2 {
		c.Errorf("%d requests: the harness must not try again by itself", n)
	}
	c.turn(s, "", harness.StopDone)
	if got := c.Stub.Last().Results(); len(got) != 1 || got[0].ToolUseID != "toolu_1" || got[0].IsError {
		c.Errorf("sent back %+v", got)
	}
}

func brokenStream(c *Case) {
	call := CallBlock("toolu_1", "Bash", map[string]string{"command": "touch made"})
	c.Stub.Push(Reply{Blocks: []Block{TextBlock("I will"), call}, Cut: 9},
		Reply{Blocks: []Block{TextBlock("I will"), call}, Error: "overloaded_error", Message: "busy"}, Say("ok"))
	s := c.start()
	if ended, _ := c.turn(s, "go", harness.StopFault); ended.Fault.Class != harness.Network {
		c.Errorf("cut stream: %v", ended.Fault)
	}
	if ended, _ := c.turn(s, "", harness.StopFault); ended.Fault.Class != harness.Overloaded {
		c.Errorf("error in the stream: %v", ended.Fault)
	}
	c.turn(s, "", harness.StopDone)
	if r := c.Stub.Last(); len(r.Conversation()) != 1 {
		c.Errorf("the broken answer is in the conversation: %s", r.Body)
	}
	if _, err := os.Stat(filepath.Join(c.Options.Dir, "made")); err == nil {
		c.Error("a call of a broken answer was made")
	}
}

func maxTurns(c *Case) {
	for i := range 3 {
		c.Stub.Push(Use(fmt.Sprintf("toolu_%d", i), "Bash", map[string]string{"command": "true"}))
	}
	c.Options.MaxTurns = 3
	s := c.start()
	c.turn(s, "go", harness.StopMaxTurns)
	c.Stub.Push(Say("ok"))
	c.turn(s, "", harness.StopDone)
}

func interruptRequest(c *Case) {
	p := &Purse{}
	c.Options.Gate = p
	held := Say("never finished")
	held.Hold = make(chan struct{})
	c.Stub.Push(held, Say("ok"))
	s := c.start()
	c.send(s, "go")
	go func() {
		c.Stub.Await(c.Ctx, 1)
		_ = s.Interrupt(c.Ctx)
	}()
	if ended, _ := c.finish(s); ended.Stop != harness.StopInterrupted || ended.Fault != nil {
		c.Fatalf("ended %+v", ended)
	}
	c.turn(s, "go on", harness.StopDone)
	c.checkPurse(p, 2)
}

func interruptTool(c *Case) {
	c.Stub.Push(Reply{Blocks: []Block{CallBlock("toolu_1", "wait", struct{}{}), CallBlock("toolu_2", "wait", struct{}{})}}, Say("ok"))
	var s harness.Session
	c.Options.Custom = []harness.Tool{custom("wait", func(ctx context.Context, id string) (harness.Result, error) {
		_ = s.Interrupt(ctx)
		<-ctx.Done()
		return harness.Result{}, ctx.Err()
	})}
	s = c.start()
	c.turn(s, "go", harness.StopInterrupted)
	c.turn(s, "go on", harness.StopDone)
	got := c.Stub.Last().Results()
	if len(got) != 2 || !got[0].IsError || !got[1].IsError {
		c.Errorf("sent back %+v", got)
	}
}

func leaveAndResume(c *Case) {
	c.Stub.Push(Use("toolu_1", "dispatch", struct{}{}), Say("ok"))
	ctx, leave := context.WithCancel(c.Ctx)
	var ids []string
	c.Options.Custom = []harness.Tool{custom("dispatch", func(ctx context.Context, id string) (harness.Result, error) {
		if ids = append(ids, id); len(ids) == 1 {
			leave()
			<-ctx.Done()
			return harness.Result{}, ctx.Err()
		}
		return harness.Result{Text: "report"}, nil
	})}
	s := c.start()
	c.send(s, "go")
	for {
		if _, err := s.Next(ctx); err != nil {
			if !errors.Is(err, context.Canceled) {
				c.Fatal(err)
			}
			break
		}
	}
	_ = s.Close()
	c.Options.Resume = true
	c.turn(c.start(), "", harness.StopDone)
	if strings.Join(ids, " ") != "toolu_1 toolu_1" {
		c.Errorf("called under %v", ids)
	}
	if got := c.Stub.Last().Results(); len(got) != 1 || got[0].IsError || got[0].Result() != "report" {
		c.Errorf("sent back %+v", got)
	}
}

func resumeCutOff(c *Case) {
	c.Stub.Push(Use("toolu_1", "Bash", map[string]string{"command": "true"}), Say("ok"), Say("still here"))
	s := c.start()
	c.turn(s, "go", harness.StopDone)
	_ = s.Close()
	c.Transcript.Cut(c.Options.Session, c.entryOf("tool_result"))
	c.Options.Resume = true
	for range 2 { // the second resume finds nothing to do
		s = c.start()
		_ = s.Close()
	}
	s = c.start()
	c.turn(s, "", harness.StopDone)
	got := c.Stub.Last().Results()
	if len(got) != 1 || !got[0].IsError || !strings.HasPrefix(got[0].Result(), "[interrupted]") {
		c.Errorf("sent back %+v", got)
	}
}

// entryOf is the index of the first entry that mentions a block type.
func (c *Case) entryOf(kind string) int {
	c.Helper()
	entries, _ := c.Transcript.Load(c.Ctx, c.Options.Session)
	for i, e := range entries {
		if strings.Contains(string(e), `"type":"`+kind+`"`) {
			return i
		}
	}
	c.Fatalf("no entry holds '%s'", kind)
	return 0
}

func resumeEnded(c *Case) {
	m := harness.Message{ID: "99999999-2222-4333-8444-555555555555", Text: "go"}
	c.Stub.Push(Say("the answer"))
	for range 2 {
		s := c.start()
		if err := s.Send(c.Ctx, m); err != nil {
			c.Fatal(err)
		}
		if ended, _ := c.finish(s); ended.Stop != harness.StopDone || ended.Text != "the answer" {
			c.Fatalf("ended %+v", ended)
		}
		_ = s.Close()
		c.Options.Resume = true
	}
	if n := len(c.Stub.Requests()); n != 1 {
		c.Errorf("%d requests", n)
	}
}

func noSession(c *Case) {
	c.Options.Resume = true
	if s, err := c.Harness.Start(c.Ctx, c.Options); !errors.Is(err, harness.ErrNoSession) {
		c.Fatalf("started %v, %v", s, err)
	}
}

func closeIsFinal(c *Case) {
	held := Say("x")
	held.Hold = make(chan struct{})
	c.Stub.Push(held)
	s := c.start()
	c.send(s, "go")
	done := make(chan error)
	go func() {
		_, err := s.Next(c.Ctx)
		done <- err
	}()
	c.Stub.Await(c.Ctx, 1)
	for range 2 {
		if err := s.Close(); err != nil {
			c.Error(err)
		}
	}
	if err := <-done; err != io.EOF {
		c.Errorf("Next in flight: %v", err)
	}
	if _, err := s.Next(c.Ctx); err != io.EOF {
		c.Errorf("Next after close: %v", err)
	}
	if err := s.Send(c.Ctx, harness.Message{Text: "x"}); err == nil {
		c.Error("a closed session took words")
	}
}

func keptFirst(c *Case) {
	c.Stub.Push(Use("toolu_1", "look", struct{}{}), Say("ok"))
	c.Options.Custom = []harness.Tool{custom("look", func(context.Context, string) (harness.Result, error) {
		if said := c.spoken(); len(said) != 2 || said[1].Type != "assistant" || !strings.Contains(string(said[1].Message), "toolu_1") {
			c.Errorf("entries when the tool runs: %+v", said)
		}
		return harness.Result{Text: "seen"}, nil
	})}
	s := c.start()
	c.send(s, "go")
	pull[harness.ToolResult](c, s)
	if said := c.spoken(); len(said) < 3 || !strings.Contains(string(said[2].Message), "seen") {
		c.Error("a result was told before it was kept")
	}
	c.finish(s)
	c.checkChain()
}

func forked(c *Case) {
	c.Stub.Push(Use("toolu_1", "Bash", map[string]string{"command": "echo shared"}), Say("the trunk"),
		Say("the branch"), Say("the trunk again"))
	c.turn(c.start(), "go", harness.StopDone)
	trunk := c.Options
	c.Options.Session, c.Options.Fork = "22222222-2222-4333-8444-555555555555", trunk.Session
	branch := c.start()
	if ended, _ := c.turn(branch, "go left", harness.StopDone); ended.Text != "the branch" {
		c.Errorf("the fork ended with %+v", ended)
	}
	if body := string(c.Stub.Last().Body); !strings.Contains(body, "shared") || !strings.Contains(body, "the trunk") {
		c.Error("the fork lacks the history")
	}
	c.checkChain()
	c.Options = trunk
	c.Options.Resume = true
	if ended, _ := c.turn(c.start(), "go right", harness.StopDone); ended.Text != "the trunk again" {
		c.Errorf("the trunk ended with %+v", ended)
	}
	if body := string(c.Stub.Last().Body); strings.Contains(body, "go left") || strings.Contains(body, "the branch") {
		c.Error("the fork's words are in the trunk")
	}
	c.Options.Session, c.Options.Resume, c.Options.Fork = "33333333-2222-4333-8444-555555555555", false, "44444444-2222-4333-8444-555555555555"
	if _, err := c.Harness.Start(c.Ctx, c.Options); !errors.Is(err, harness.ErrNoSession) {
		c.Errorf("a fork of nothing: %v", err)
	}
}

// A guard whose context ends denies, which is no judgement of the call.
func leaveWhileAsked(c *Case) {
	c.Stub.Push(Use("toolu_1", "dispatch", struct{}{}), Say("ok"))
	ctx, leave := context.WithCancel(c.Ctx)
	asked := 0
	c.Options.Authorize = func(ctx context.Context, _ guards.Call) guards.Decision {
		if asked++; asked == 1 {
			leave()
			<-ctx.Done()
			return guards.Deny("the session is being interrupted")
		}
		return guards.Allow()
	}
	c.Options.Custom = []harness.Tool{custom("dispatch", func(context.Context, string) (harness.Result, error) {
		return harness.Result{Text: "report"}, nil
	})}
	s := c.start()
	c.send(s, "go")
	for {
		if _, err := s.Next(ctx); err != nil {
			break
		}
	}
	_ = s.Close()
	c.Options.Resume = true
	c.turn(c.start(), "", harness.StopDone)
	if b, ok := c.Stub.Last().ResultOf("toolu_1"); !ok || b.IsError || b.Result() != "report" {
		c.Errorf("the call gave %+v", b)
	}
}
