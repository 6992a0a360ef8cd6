package claude

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"git-flower/engine/harness"
)

// What a process prints that is none of the protocol's does no harm.
func TestOddLines(t *testing.T) {
	long := strings.Repeat("x", 10<<20)
	for name, odd := range map[string]func(*fakeCLI){
		"a blank line":                func(f *fakeCLI) { f.print("") },
		"text":                        func(f *fakeCLI) { f.print("debug: hello") },
		"a list":                      func(f *fakeCLI) { f.print("[1,2]") },
		"half an object":              func(f *fakeCLI) { f.print(`{"type":"assistant","mess`) },
		"no type":                     func(f *fakeCLI) { f.print(`{"a":1}`) },
		"fields of other types":       func(f *fakeCLI) { f.print(`{"type":"assistant","message":17}`) },
		"a result of another type":    func(f *fakeCLI) { f.print(`{"type":["result"]}`) },
		"bytes that are no UTF-8":     func(f *fakeCLI) { f.print("{\"type\":\"system\",\"x\":\"\xff\xfe\"}") },
		"ten megabytes of text":       func(f *fakeCLI) { f.print(long) },
		"ten megabytes of an object":  func(f *fakeCLI) { f.print(`{"type":"user","x":"` + long + `"}`) },
		"an unknown control request":  func(f *fakeCLI) { f.print(`{"type":"control_request","request_id":"a","request":{"subtype":"brew"}}`) },
		"an answer nobody waits for":  func(f *fakeCLI) { f.print(`{"type":"control_response","response":{"request_id":"z"}}`) },
		"a cancelled unknown request": func(f *fakeCLI) { f.print(`{"type":"control_cancel_request","request_id":"z"}`) },
		"a mirror of another session": func(f *fakeCLI) {
			f.print(`{"type":"transcript_mirror","filePath":"/etc/passwd","entries":[{"uuid":"u"}]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && strings.HasPrefix(name, "ten megabytes") {
				t.Skip("megabytes")
			}
			s := fakes(t, func(f *fakeCLI) {
				odd(f)
				f.initialized(able)
				f.prompt()
				odd(f)
				f.text("1", "done")
				odd(f)
				f.result(nil)
				f.prompt()
			})
			ended, _ := s.turn(s.start(), "go")
			if ended.Stop != harness.StopDone || ended.Text != "done" {
				t.Errorf("ended %+v", ended)
			}
		})
	}
}

// A message that nobody knows is passed on, not dropped.
func TestUnknownTypesAreToldRaw(t *testing.T) {
	s := fakes(t, func(f *fakeCLI) {
		f.initialized(able)
		f.prompt()
		f.print(`{"type":"weather","clouds":true}`)
		f.result(nil)
		f.prompt()
	})
	_, events := s.turn(s.start(), "go")
	if !slices.ContainsFunc(events, func(e harness.Event) bool {
		r, ok := e.(harness.Raw)
		return ok && strings.Contains(string(r.Data), "clouds")
	}) {
		t.Errorf("events %v", events)
	}
}

// A process that ends in the middle of a turn is a fault, and the next one goes
// on from what was kept.
func TestAProcessThatEnds(t *testing.T) {
	var said string
	s := fakes(t,
		func(f *fakeCLI) {
			f.initialized(able)
			f.prompt()
			f.answer("1", map[string]any{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": map[string]any{"command": "x"}})
		},
		func(f *fakeCLI) {
			f.initialized(able)
			_, said = f.prompt()
			f.text("2", "went on")
			f.result(nil)
			f.prompt()
		})
	talk := s.start()
	ended, _ := s.turn(talk, "go")
	if ended.Stop != harness.StopFault || ended.Fault.Class != harness.Broken || !strings.Contains(ended.Fault.Message, "it broke") {
		t.Fatalf("ended %+v", ended)
	}
	ended, events := s.turn(talk, "")
	if ended.Stop != harness.StopDone || ended.Text != "went on" || said != carryOn {
		t.Errorf("ended %+v after '%s'", ended, said)
	}
	if r, ok := events[1].(harness.ToolResult); !ok || !r.Result.IsError || !strings.HasPrefix(r.Result.Text, "[interrupted]") {
		t.Errorf("events %+v", events)
	}
	if args := s.launched[1].Args; !slices.Contains(args, "--resume="+s.o.Session) {
		t.Errorf("the second process was started with %q", args)
	}
}

// A process that says nothing any more is given up; the session is not.
func TestSilence(t *testing.T) {
	s := fakes(t,
		func(f *fakeCLI) {
			f.initialized(able)
			f.prompt()
			f.prompt() // and nothing more
		},
		func(f *fakeCLI) {
			f.initialized(able)
			f.prompt()
			f.text("1", "awake")
			f.result(nil)
			f.prompt()
		})
	s.h.c.Silence = 50 * time.Millisecond
	talk := s.start()
	if ended, _ := s.turn(talk, "go"); ended.Stop != harness.StopFault || ended.Fault.Class != harness.Unknown {
		t.Fatalf("ended %+v", ended)
	}
	if ended, _ := s.turn(talk, ""); ended.Text != "awake" {
		t.Errorf("ended %+v", ended)
	}
}

// A process that cannot be held to its guards is not used.
func TestUnguardedProcesses(t *testing.T) {
	for name, play := range map[string]func(*fakeCLI){
		"it does not say that failures block": func(f *fakeCLI) { f.initialized(map[string]any{"pid": 1}) },
		"it says that they do not":            func(f *fakeCLI) { f.initialized(map[string]any{"hook_on_failure_supported": false}) },
		"it refuses the session": func(f *fakeCLI) {
			f.print(`{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found"]}`)
		},
		"it ends": func(*fakeCLI) {},
	} {
		t.Run(name, func(t *testing.T) {
			s := fakes(t, func(f *fakeCLI) {
				play(f)
				f.out.Close()
				for _, ok := f.hear(); ok; _, ok = f.hear() {
				}
			})
			if ended, _ := s.turn(s.start(), "go"); ended.Stop != harness.StopFault || ended.Fault.Class != harness.Broken {
				t.Errorf("ended %+v", ended)
			}
		})
	}
}

// A store that cannot be written stops the session before it does anything else.
func TestWhatCannotBeKept(t *testing.T) {
	s := fakes(t, func(f *fakeCLI) {
		f.initialized(able)
		f.prompt()
		f.answer("1", map[string]any{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": map[string]any{"command": "x"}})
		f.say(map[string]any{"type": "control_request", "request_id": "h1", "request": map[string]any{
			"subtype": "hook_callback", "callback_id": "PreToolUse", "input": map[string]any{
				"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": "x"}, "tool_use_id": "toolu_1"}}})
		for {
			v, ok := f.hear()
			if !ok {
				return
			}
			r, _ := v["response"].(map[string]any)
			if v["type"] == "control_response" && r["request_id"] == "h1" && !strings.Contains(mustJSON(r), `"deny"`) {
				t.Errorf("the call was let pass: %v", r)
			}
		}
	})
	full := errors.New("no space left")
	s.transcript.OnAppend = func(string, []rawMessage) error { return full }
	ended, _ := s.turn(s.start(), "go")
	if ended.Stop != harness.StopFault || ended.Fault.Class != harness.Broken {
		t.Errorf("ended %+v", ended)
	}
}

// The result of the turn decides, in its fields, what went wrong.
func TestFaultsOfResults(t *testing.T) {
	for name, tt := range map[string]struct {
		result map[string]any
		want   harness.Class
	}{
		"overloaded":       {map[string]any{"is_error": true, "terminal_reason": "api_error", "api_error_status": 529, "result": "API Error"}, harness.Overloaded},
		"rate limit":       {map[string]any{"is_error": true, "terminal_reason": "api_error", "api_error_status": 429, "result": "API Error: Request rejected (429)"}, harness.RateLimit},
		"server":           {map[string]any{"is_error": true, "terminal_reason": "api_error", "api_error_status": 500}, harness.ServerError},
		"key":              {map[string]any{"is_error": true, "terminal_reason": "api_error", "api_error_status": 401}, harness.Auth},
		"no login":         {map[string]any{"is_error": true, "terminal_reason": "api_error", "result": "Not logged in · Please run /login"}, harness.Auth},
		"window":           {map[string]any{"is_error": true, "terminal_reason": "prompt_too_long", "api_error_status": 400}, harness.PromptTooLong},
		"locally too long": {map[string]any{"is_error": true, "terminal_reason": "blocking_limit"}, harness.PromptTooLong},
		"too long in words": {map[string]any{"is_error": true, "terminal_reason": "api_error", "api_error_status": 400, "api_error_type": "invalid_request_error",
			"result": "API Error: 400 input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"}, harness.PromptTooLong},
		"a server's words of a window": {map[string]any{"is_error": true, "terminal_reason": "api_error", "api_error_status": 502, "result": "context window exceeded"}, harness.ServerError},
		"bad request":                  {map[string]any{"is_error": true, "terminal_reason": "api_error", "api_error_status": 400}, harness.Invalid},
		"picture":                      {map[string]any{"is_error": true, "terminal_reason": "image_error"}, harness.Invalid},
		"connection":                   {map[string]any{"is_error": true, "terminal_reason": "api_error", "api_error": "connection_failed"}, harness.Network},
		"refusal":                      {map[string]any{"stop_reason": "refusal"}, harness.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			s := fakes(t, func(f *fakeCLI) {
				f.initialized(able)
				f.prompt()
				f.result(tt.result)
				f.prompt()
			})
			ended, _ := s.turn(s.start(), "go")
			if ended.Stop != harness.StopFault || ended.Fault.Class != tt.want {
				t.Errorf("ended %+v, want %v", ended, tt.want)
			}
		})
	}
}

// Words that the CLI takes up after its result are part of the same turn.
func TestWordsBetweenResults(t *testing.T) {
	s := fakes(t, func(f *fakeCLI) {
		f.initialized(able)
		f.prompt()
		f.text("1", "first")
		v, _ := f.hear() // the second words, not taken up yet
		f.result(nil)
		f.say(map[string]any{"type": "command_lifecycle", "command_uuid": v["uuid"], "state": "started"})
		f.text("2", "second")
		f.result(nil)
		f.prompt()
	})
	talk := s.start()
	if err := talk.Send(t.Context(), harness.Message{Text: "one"}); err != nil {
		t.Fatal(err)
	}
	for {
		e, err := talk.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := e.(harness.Text); ok && text.Text == "first" {
			if err := talk.Send(t.Context(), harness.Message{Text: "two"}); err != nil {
				t.Fatal(err)
			}
		}
		if ended, ok := e.(harness.Ended); ok {
			if ended.Stop != harness.StopDone || ended.Text != "second" {
				t.Errorf("ended %+v", ended)
			}
			return
		}
	}
}

// A process that does not obey an interrupt ends.
func TestADisobedientProcess(t *testing.T) {
	s := fakes(t, func(f *fakeCLI) {
		f.initialized(able)
		f.prompt()
		f.prompt() // refuses every request
	}, func(f *fakeCLI) {
		f.initialized(able)
		f.prompt()
		f.text("1", "again")
		f.result(nil)
		f.prompt()
	})
	talk := s.start()
	if err := talk.Send(t.Context(), harness.Message{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	kept := make(chan struct{})
	s.transcript.OnAppend = func(string, []rawMessage) error {
		s.transcript.OnAppend = nil
		close(kept)
		return nil
	}
	go func() {
		<-kept
		talk.Interrupt(t.Context())
	}()
	e, err := talk.Next(t.Context())
	if ended, ok := e.(harness.Ended); err != nil || !ok || ended.Stop != harness.StopInterrupted {
		t.Fatalf("%+v, %v", e, err)
	}
	if ended, _ := s.turn(talk, "go on"); ended.Text != "again" {
		t.Errorf("ended %+v", ended)
	}
}

// Words that the CLI has not taken up when a turn breaks are said again, once, in
// the next turn, whether it gives them back or not.
func TestWordsOfABrokenTurn(t *testing.T) {
	for _, gives := range []bool{true, false} {
		t.Run(fmt.Sprint(gives), func(t *testing.T) {
			var heard []string
			next := func(f *fakeCLI) {
				_, text := f.prompt()
				heard = append(heard, text)
				f.text("2", "done")
				f.result(nil)
				f.prompt()
			}
			s := fakes(t, func(f *fakeCLI) {
				f.initialized(able)
				f.prompt()
				f.text("1", "working")
				f.hear() // the second words
				f.result(map[string]any{"is_error": true, "terminal_reason": "api_error", "api_error_status": 529})
				v, _ := f.hear()
				f.say(map[string]any{"type": "control_response", "response": map[string]any{
					"subtype": "success", "request_id": v["request_id"], "response": map[string]any{"cancelled": gives}}})
				if gives {
					next(f)
				}
			}, func(f *fakeCLI) {
				f.initialized(able)
				next(f)
			})
			talk := s.start()
			if err := talk.Send(t.Context(), harness.Message{Text: "one"}); err != nil {
				t.Fatal(err)
			}
			for {
				e, err := talk.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := e.(harness.Text); ok {
					if err := talk.Send(t.Context(), harness.Message{Text: "two"}); err != nil {
						t.Fatal(err)
					}
				}
				if ended, ok := e.(harness.Ended); ok {
					if ended.Stop != harness.StopFault || ended.Fault.Class != harness.Overloaded {
						t.Fatalf("ended %+v", ended)
					}
					break
				}
			}
			if ended, _ := s.turn(talk, ""); ended.Stop != harness.StopDone || ended.Text != "done" {
				t.Errorf("ended %+v", ended)
			}
			if len(heard) != 1 || heard[0] != "two" {
				t.Errorf("heard %q", heard)
			}
		})
	}
}
