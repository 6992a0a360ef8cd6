package guards_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-flower/guards"
)

// a session makes calls and hears what came of them.
type session struct {
	past []guards.Made
}

// make says whether the call ran, and what was said when it did not.
func (s *session) make(c guards.Call, result string) (bool, string) {
	d := guards.Repeats(s.past, c)
	if d.Allow {
		s.past = guards.Remember(s.past, guards.Ran(c, result))
		return true, ""
	}
	s.past = guards.Remember(s.past, guards.Refused(c))
	return false, d.Reason
}

// times makes a call n times and returns how often it ran.
func (s *session) times(n int, c guards.Call, result string) (ran int) {
	for range n {
		if ok, _ := s.make(c, result); ok {
			ran++
		}
	}
	return ran
}

func bash(command string) guards.Call {
	return call("worker", "Bash", fmt.Sprintf(`{"command":%q}`, command))
}

func TestTheSameAgainAndAgainIsStopped(t *testing.T) {
	read := call("worker", "Read", `{"file_path":"a","limit":10}`)
	for name, c := range map[string]struct {
		calls func(*session) int
		want  int
	}{
		"the same": {func(s *session) int { return s.times(30, read, "x") }, 5},
		"in another spelling": {func(s *session) int {
			return s.times(5, read, "x") + s.times(5, call("worker", "Read", `{ "limit":10, "file_path":"a" }`), "x")
		}, 5},
		"another input": {func(s *session) int {
			return s.times(5, read, "x") + s.times(1, call("worker", "Read", `{"file_path":"b"}`), "x")
		}, 6},
		"another tool": {func(s *session) int {
			return s.times(5, read, "x") + s.times(1, call("worker", "Glob", string(read.Input)), "x")
		}, 6},
		"large numbers are told apart": {func(s *session) int {
			return s.times(5, call("worker", "X", `{"n":12345678901234567890}`), "x") + s.times(5, call("worker", "X", `{"n":12345678901234567891}`), "x")
		}, 10},
		"another result": {func(s *session) int {
			n := 0
			for i := range 30 {
				n += s.times(1, read, fmt.Sprint(i/4))
			}
			return n
		}, 30},
		"a change in between": {func(s *session) int {
			n := 0
			for i := range 10 {
				n += s.times(3, bash("go test"), "FAIL")
				s.times(1, call("worker", "Edit", fmt.Sprintf(`{"file_path":"a","new_string":"%d"}`, i)), "changed")
			}
			return n
		}, 30},
		"the same change in between": {func(s *session) int {
			n := 0
			for range 20 {
				n += s.times(1, bash("go test"), "FAIL")
				s.times(1, bash("touch x"), "")
			}
			return n
		}, 6}, // "touch x" is new once
		"looks in between": {func(s *session) int {
			n := 0
			for i := range 20 {
				n += s.times(1, read, "x")
				s.times(1, call("worker", "Grep", fmt.Sprintf(`{"pattern":"%d"}`, i)), "")
			}
			return n
		}, 5},
		"waiting": {func(s *session) int {
			return s.times(80, call("worker", "BashOutput", `{"bash_id":"1"}`), "(nothing new)")
		}, 50},
		"inbox":   {func(s *session) int { return s.times(80, call("coordinator", "inbox", `{}`), "nothing") }, 50},
		"no JSON": {func(s *session) int { return s.times(30, call("worker", "Read", `{"`), "bad") }, 5},
	} {
		if got := c.calls(&session{}); got != c.want {
			t.Errorf("%s: ran %d times, want %d", name, got, c.want)
		}
	}
}

// Each refusal says something else and leaves a way open, and what was refused
// runs again once something has changed.
func TestALoopIsNoDeadEnd(t *testing.T) {
	var s session
	c := bash("make")
	s.times(5, c, "error")
	said := map[string]bool{}
	for range 15 {
		ok, reason := s.make(c, "error")
		if ok || said[reason] {
			t.Fatalf("ran %v, or said before: %s", ok, reason)
		}
		said[reason] = true
		if guards.Stuck(s.past, c) {
			t.Fatal("stuck too early")
		}
	}
	if ok, reason := s.make(bash("sed -i s/a/b/ Makefile"), ""); !ok {
		t.Fatal(reason)
	}
	if ok, reason := s.make(c, "error"); !ok {
		t.Fatal("does not open again: " + reason)
	}
	if s.times(24, c, "error") != 4 || !guards.Stuck(s.past, c) {
		t.Error("not stuck in the end")
	}
}

// A wall's refusal is worded anew as well.
func TestARepeatedRefusalIsToldDifferently(t *testing.T) {
	c := call("worker", "Write", `{"file_path":"/etc/passwd"}`)
	var past []guards.Made
	said := map[string]bool{}
	for range 20 {
		d := guards.Told(past, c, worker.Decide(c))
		if d.Allow || said[d.Reason] || !strings.Contains(d.Reason, "/tree/1") {
			t.Fatalf("%v %s", d.Allow, d.Reason)
		}
		said[d.Reason] = true
		past = guards.Remember(past, guards.Refused(c))
	}
	if !guards.Stuck(past, c) {
		t.Error("it could go on for ever")
	}
	if d := guards.Told(past, c, guards.Allow()); !d.Allow {
		t.Error("what the walls allow by now is refused")
	}
}

// A session that always does something new, or hears something new, is never stopped.
func TestNothingNewIsStopped(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var s session
		for i := range rapid.IntRange(1, 200).Draw(rt, "calls") {
			tool := rapid.SampledFrom([]string{"Read", "Bash", "Edit", "dispatch"}).Draw(rt, "tool")
			input, result := rapid.IntRange(0, 3).Draw(rt, "input"), "same"
			if rapid.Bool().Draw(rt, "new input") {
				input = 1000 + i
			} else {
				result = fmt.Sprint(i)
			}
			if ok, reason := s.make(guards.Call{Tool: tool, Input: json.RawMessage(fmt.Sprint(input))}, result); !ok {
				rt.Fatal(reason)
			}
		}
	})
}

// Every session that repeats itself is stuck in the end, whatever its loop is made of.
func TestEveryLoopEnds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cycle := rapid.SliceOfN(rapid.SampledFrom([]string{"Read", "Bash", "Edit", "Grep", "dispatch"}), 1, 12).Draw(rt, "cycle")
		var s session
		for i := range 200 {
			c := guards.Call{Tool: cycle[i%len(cycle)], Input: json.RawMessage(fmt.Sprint(i % len(cycle)))}
			if ok, _ := s.make(c, "same"); !ok && guards.Stuck(s.past, c) {
				return
			}
		}
		rt.Error("it goes on")
	})
}
