package harnesstest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/engine/harness"
)

// RunChaos checks that a harness that Chaos breaks off again and again does the
// same work; once for each seed below seeds.
func RunChaos(t *testing.T, make Maker, seeds uint64) {
	for seed := range seeds {
		ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
		defer cancel()
		c := newCase(ctx, t, make)
		lines := []string{"one", "two", "three", "four"}
		c.Stub.Answer = func(r Received) Reply {
			n := len(strings.Fields(newestSuccess(r)))
			if n == len(lines) {
				return Say("complete")
			}
			id := fmt.Sprintf("toolu_%d", len(r.Messages))
			return Use(id, "Bash", map[string]string{"command": fmt.Sprintf("grep -qs %[1]s f || echo %[1]s >>f; cat f", lines[n])})
		}
		h := &Chaos{Harness: c.Harness, Seed: seed, Every: 3, Breaks: 9}
		s, err := h.Start(ctx, c.Options)
		if err != nil {
			t.Fatal(err)
		}
		ended, err := Drive(ctx, s, harness.Message{Text: "go"}, 20)
		if err != nil || ended.Text != "complete" {
			t.Fatalf("seed %d: %+v, %v", seed, ended, err)
		}
		got, _ := os.ReadFile(filepath.Join(c.Options.Dir, "f"))
		if strings.Join(strings.Fields(string(got)), " ") != strings.Join(lines, " ") {
			t.Errorf("seed %d: %q", seed, got)
		}
		_ = s.Close()
	}
}

// newestSuccess is the text of the newest result that is no error.
func newestSuccess(r Received) string {
	text := ""
	for _, m := range r.Messages {
		for _, b := range m.Content {
			if b.Type == "tool_result" && !b.IsError {
				text = b.Result()
			}
		}
	}
	return text
}

// RunCrashes cuts the transcript of a whole turn after each of its entries, as a
// crash would, and resumes: the model's view is whole, which the Stub checks, and
// the turn comes to its end. Only those cuts are made for which cut is true: it is
// given how many entries are left, and how many there are. Each check is made of
// every case that came to its end so.
func RunCrashes(t *testing.T, make Maker, cut func(n, of int) bool, checks ...func(*Case)) {
	m := harness.Message{ID: "22222222-2222-4333-8444-555555555555", Text: "go"}
	whole := crashCase(t, make)
	whole.finishAs(m, "complete")
	entries, _ := whole.Transcript.Load(whole.Ctx, whole.Options.Session)
	for n := 1; n <= len(entries); n++ {
		if !cut(n, len(entries)) {
			continue
		}
		c := crashCase(t, make)
		if err := c.Transcript.Append(c.Ctx, c.Options.Session, entries[:n]...); err != nil {
			t.Fatal(err)
		}
		c.Options.Resume = true
		c.finishAs(m, "complete")
		if n == len(entries) && len(c.Stub.Requests()) != 0 {
			t.Error("an ended turn was asked for again")
		}
		for _, check := range checks {
			check(c)
		}
		if t.Failed() {
			t.Fatalf("cut after %d of %d entries", n, len(entries))
		}
	}
}

// crashCase is a case in which the model makes calls of ours and built-in ones,
// two in each answer.
func crashCase(t *testing.T, make Maker) *Case {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	c := newCase(ctx, t, make)
	c.Stub.Answer = func(r Received) Reply {
		calls := 0
		for _, m := range r.Messages {
			for _, b := range m.Content {
				if b.Type == "tool_use" {
					calls++
				}
			}
		}
		switch {
		case calls >= 4:
			return Say("complete")
		case calls == 2:
			return Say("half").And(CallBlock("toolu_2", "ours", struct{}{})).Stopping("tool_use")
		}
		return Use(fmt.Sprintf("toolu_%d", calls), "Bash", map[string]string{"command": "true"}).
			And(CallBlock(fmt.Sprintf("toolu_%d_b", calls), "ours", struct{}{}))
	}
	ours := custom("ours", nil)
	ours.Parallel = true
	ours.Call = func(_ context.Context, id string, _ json.RawMessage) (harness.Result, error) {
		return harness.Result{Text: "did " + id}, nil
	}
	c.Options.Custom = []harness.Tool{ours}
	return c
}

// finishAs drives the case's session to the end of a turn.
func (c *Case) finishAs(m harness.Message, text string) {
	c.Helper()
	s := c.start()
	ended, err := Drive(c.Ctx, s, m, 0)
	if err != nil || ended.Stop != harness.StopDone || ended.Text != text {
		c.Errorf("ended %+v, %v", ended, err)
	}
	_ = s.Close()
}
