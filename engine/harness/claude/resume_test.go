package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-flower/engine/harness"
)

// written is the transcript that a process was given to resume from, and the name
// of the folder in which it lay.
func (f *fakeCLI) written() (folder string, entries []json.RawMessage) {
	files, _ := filepath.Glob(filepath.Join(f.config(), "projects", "*", fakeID+".jsonl"))
	if len(files) != 1 {
		f.t.Errorf("the process has the transcripts %q", files)
		return "", nil
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		f.t.Error(err)
	}
	for line := range strings.Lines(string(text)) {
		entries = append(entries, json.RawMessage(line))
	}
	return filepath.Base(filepath.Dir(files[0])), entries
}

// A directory's name may hold blanks, signs and any script: the session is found
// again under the CLI's own name for it.
func TestSessionsResumeInDirectoriesOfAnyName(t *testing.T) {
	for dir, want := range map[string]string{"my proj+1": "-my-proj-1", "中文 目录": "------", "a.b_c-d": "-a-b-c-d", "100%": "-100-"} {
		t.Run(dir, func(t *testing.T) {
			var folder string
			var entries []json.RawMessage
			s := fakes(t,
				func(f *fakeCLI) {
					f.initialized(able)
					f.prompt()
					f.text("1", "yes")
					f.result(nil)
					f.prompt()
				},
				func(f *fakeCLI) {
					folder, entries = f.written()
					f.initialized(able)
					f.prompt()
					f.text("2", "again")
					f.result(nil)
					f.prompt()
				})
			s.o.Dir = filepath.Join(s.o.Dir, dir)
			if err := os.Mkdir(s.o.Dir, 0o755); err != nil {
				t.Fatal(err)
			}
			first := s.start()
			s.turn(first, "go")
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			s.o.Resume = true
			if ended, _ := s.turn(s.start(), "on"); ended.Text != "again" {
				t.Errorf("ended %+v", ended)
			}
			if !strings.HasSuffix(folder, want) || len(entries) != 2 {
				t.Errorf("%d entries in '%s', want 2 in one that ends in '%s'", len(entries), folder, want)
			}
		})
	}
}

// The session's id is ours and known before the first word: a process that dies
// before it has told of any result leaves a session to resume.
func TestASessionIsResumedThatNeverHadAResult(t *testing.T) {
	s := fakes(t,
		func(f *fakeCLI) {
			f.initialized(able)
			f.prompt() // and it dies
		},
		func(f *fakeCLI) {
			f.initialized(able)
			f.prompt()
			f.text("1", "here")
			f.result(nil)
			f.prompt()
		})
	if ended, _ := s.turn(s.start(), "go"); ended.Stop != harness.StopFault {
		t.Fatalf("ended %+v", ended)
	}
	s.o.Resume = true // another process of ours
	if ended, _ := s.turn(s.start(), ""); ended.Text != "here" {
		t.Errorf("ended %+v", ended)
	}
	for n, want := range []string{"--session-id=" + fakeID, "--resume=" + fakeID} {
		if !slices.Contains(s.launched[n].Args, want) {
			t.Errorf("process %d lacks %s: %q", n+1, want, s.launched[n].Args)
		}
	}
}

// A crash after any entry leaves a session that resumes: the process is given a
// transcript in which every call has one result, and the turn comes to its end.
func TestASessionCutAfterAnyEntryResumes(t *testing.T) {
	whole := fakes(t, func(f *fakeCLI) {
		f.initialized(able)
		f.prompt()
		call := func(id string) map[string]any {
			return map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": "x"}}
		}
		f.answer("1", map[string]any{"type": "text", "text": "looking"}, call("toolu_1"), call("toolu_2"))
		for _, id := range []string{"1", "2"} {
			f.mirror(map[string]any{"type": "user", "uuid": uuidFor("1" + id), "message": map[string]any{"role": "user",
				"content": []any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_" + id, "content": "out"}}}})
		}
		f.answer("2", call("toolu_3"))
		f.mirror(map[string]any{"type": "user", "uuid": uuidFor("23"), "message": map[string]any{"role": "user",
			"content": []any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_3", "content": "out"}}}})
		f.text("3", "whole")
		f.result(nil)
		f.prompt()
	})
	s := whole.start()
	whole.turn(s, "go")
	_ = s.Close()
	entries, _ := whole.transcript.Load(t.Context(), fakeID)
	if len(entries) != 7 {
		t.Fatalf("%d entries", len(entries))
	}
	for n := 1; n <= len(entries); n++ {
		var given []json.RawMessage
		cut := fakes(t, func(f *fakeCLI) {
			_, given = f.written()
			f.initialized(able)
			f.prompt()
			f.text("9", "went on")
			f.result(nil)
			f.prompt()
		})
		if err := cut.transcript.Append(t.Context(), fakeID, entries[:n]...); err != nil {
			t.Fatal(err)
		}
		cut.o.Resume = true
		if ended, _ := cut.turn(cut.start(), "on"); ended.Stop != harness.StopDone || ended.Text != "went on" {
			t.Errorf("cut after %d: ended %+v, %v", n, ended, ended.Fault)
		}
		if calls, results := callsAndResults(t, given); !slices.Equal(calls, results) {
			t.Errorf("cut after %d: the calls %q have the results %q", n, calls, results)
		}
	}
}

// callsAndResults are the ids of calls and those that results are for.
func callsAndResults(t *testing.T, entries []json.RawMessage) (calls, results []string) {
	t.Helper()
	for _, raw := range entries {
		var e mirrored
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		for _, b := range e.Message.Content {
			switch b.Type {
			case "tool_use":
				calls = append(calls, b.ID)
			case "tool_result":
				results = append(results, b.ToolUseID)
			}
		}
	}
	return calls, results
}
