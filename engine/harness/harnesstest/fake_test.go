package harnesstest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/guards"
)

func allow(context.Context, guards.Call) guards.Decision { return guards.Allow() }

func open(t *testing.T, h harness.Harness, o harness.Options) harness.Session {
	t.Helper()
	o.Session = "s"
	s, err := h.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// tell says something and returns how the turn ended, with its events in short.
func tell(t *testing.T, s harness.Session, m harness.Message) (harness.Ended, string) {
	t.Helper()
	if err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	var short []string
	for {
		e, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case harness.Ended:
			return e, strings.Join(short, " ")
		case harness.Text:
			short = append(short, "text")
		case harness.ToolCall:
			short = append(short, "call:"+e.Tool)
		case harness.ToolResult:
			short = append(short, fmt.Sprintf("result:%v:%s", e.Denied, e.Result.Text))
		case harness.Responded:
			short = append(short, "responded")
		}
	}
}

func tool(name string, call func(context.Context, string) (harness.Result, error)) harness.Tool {
	return harness.Tool{Name: name, Call: func(ctx context.Context, id string, _ json.RawMessage) (harness.Result, error) { return call(ctx, id) }}
}

func TestFakePlaysToolsThroughGuardsAndPurse(t *testing.T) {
	purse := &harnesstest.Purse{}
	f := &harnesstest.Fake{Play: func(ft *harnesstest.FakeTurn) harness.Ended {
		if err := ft.Request(harness.Usage{Input: 3, Output: 2}); err != nil {
			return harness.Ended{Fault: &harness.Fault{Class: harness.Budget}}
		}
		if r := ft.Call("dispatch", map[string]int{"n": 1}); r.Text != "report" {
			t.Errorf("result %+v", r)
		}
		if r := ft.Call("Bash", nil); !r.IsError {
			t.Errorf("refused call: %+v", r)
		}
		return ft.Done("said: " + ft.Said[0].Text)
	}}
	s := open(t, f, harness.Options{Model: "m", Gate: purse,
		Authorize: func(_ context.Context, c guards.Call) guards.Decision {
			if c.Tool == "Bash" {
				return guards.Deny("no")
			}
			return guards.Allow()
		},
		Custom: []harness.Tool{tool("dispatch", func(context.Context, string) (harness.Result, error) {
			return harness.Result{Text: "report"}, nil
		})}})
	ended, events := tell(t, s, harness.Message{Text: "hi"})
	if ended.Stop != harness.StopDone || ended.Text != "said: hi" {
		t.Errorf("ended %+v", ended)
	}
	if events != "responded call:dispatch result:false:report call:Bash result:true:no text" {
		t.Errorf("events: %s", events)
	}
	if purse.Admitted != 1 || purse.Open != 0 {
		t.Errorf("purse %+v", purse)
	}
}

func TestFakeResumesWithItsOpenCall(t *testing.T) {
	var ids []string
	leave := func() {}
	f := &harnesstest.Fake{}
	f.Play = func(ft *harnesstest.FakeTurn) harness.Ended {
		if !ft.Carried {
			ft.Call("dispatch", nil)
			return harness.Ended{}
		}
		return ft.Done(ft.Answered[0].Result.Text)
	}
	o := harness.Options{Authorize: allow, Custom: []harness.Tool{tool("dispatch", func(ctx context.Context, id string) (harness.Result, error) {
		if ids = append(ids, id); len(ids) == 1 {
			leave()
			<-ctx.Done()
			return harness.Result{}, ctx.Err()
		}
		return harness.Result{Text: "report"}, nil
	})}}
	m := harness.Message{ID: "m1", Text: "go"}
	s := open(t, f, o)
	ctx, cancel := context.WithCancel(t.Context())
	leave = cancel
	_ = s.Send(ctx, m)
	var err error
	for err == nil {
		_, err = s.Next(ctx)
	}
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	_ = s.Close()
	o.Resume = true
	s = open(t, f, o)
	for range 2 { // the second time the stored reply is told
		if ended, _ := tell(t, s, m); ended.Stop != harness.StopDone || ended.Text != "report" {
			t.Fatalf("ended %+v", ended)
		}
	}
	if len(ids) != 2 || ids[0] != ids[1] {
		t.Errorf("called under %v", ids)
	}
}

func TestFakeForgetsAndStops(t *testing.T) {
	f := &harnesstest.Fake{Label: "other", Play: func(ft *harnesstest.FakeTurn) harness.Ended {
		ft.Call("verdict", nil)
		return harness.Ended{Stop: harness.StopDone}
	}}
	if f.Name() != "other" {
		t.Error(f.Name())
	}
	o := harness.Options{Authorize: allow, Custom: []harness.Tool{tool("verdict", func(context.Context, string) (harness.Result, error) {
		return harness.Result{Text: "ok"}, harness.ErrStop
	})}}
	s := open(t, f, o)
	if ended, _ := tell(t, s, harness.Message{Text: "x"}); ended.Stop != harness.StopTool {
		t.Errorf("ended %+v", ended)
	}
	_ = s.Close()
	if _, err := s.Next(t.Context()); err != io.EOF {
		t.Error(err)
	}
	f.Forget("s")
	o.Resume = true
	o.Session = "s"
	if _, err := f.Start(t.Context(), o); !errors.Is(err, harness.ErrNoSession) {
		t.Errorf("resumed a forgotten session: %v", err)
	}
}

func TestChaosComesToTheSameEnd(t *testing.T) {
	f := &harnesstest.Fake{Play: func(ft *harnesstest.FakeTurn) harness.Ended {
		for i := range 5 {
			ft.Say(fmt.Sprint(i))
			if ft.Context.Err() != nil {
				return harness.Ended{}
			}
		}
		return ft.Done("the end")
	}}
	broke := 0
	for seed := range uint64(50) {
		h := &harnesstest.Chaos{Harness: f, Seed: seed, Every: 4, Breaks: 6}
		s, err := h.Start(t.Context(), harness.Options{Session: fmt.Sprint(seed)})
		if err != nil {
			t.Fatal(err)
		}
		ended, err := harnesstest.Drive(t.Context(), s, harness.Message{ID: "m", Text: "go"}, 6)
		if err != nil || ended.Stop != harness.StopDone || ended.Text != "the end" {
			t.Fatalf("seed %d: %+v, %v", seed, ended, err)
		}
		_ = s.Close()
		if _, err := harnesstest.Drive(t.Context(), s, harness.Message{Text: "x"}, 0); err == nil {
			t.Fatal("drove a closed session")
		}
		s, _ = h.Start(t.Context(), harness.Options{Session: fmt.Sprint(seed, "once")})
		if _, err := harnesstest.Drive(t.Context(), s, harness.Message{Text: "x"}, 0); err != nil {
			broke++
		}
		_ = s.Close()
	}
	if broke == 0 {
		t.Error("chaos broke nothing")
	}
}
