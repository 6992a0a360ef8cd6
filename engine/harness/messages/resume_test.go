package messages

import (
	"os"
	"strings"
	"testing"

	"git-flower/engine/harness/harnesstest"
)

// A resumed session still knows the files it has seen, and only as they were
// then: a change from outside is noticed.
func TestResumedSessionKnowsItsFiles(t *testing.T) {
	for _, c := range []struct{ name, now, want string }{
		{"as it was", "old\n", ""},
		{"changed meanwhile", "other\n", "has changed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			path := b.options.Dir + "/f"
			if err := os.WriteFile(path, []byte("old\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			b.stub.Push(harnesstest.Use("toolu_1", "Read", map[string]string{"file_path": "f"}), harnesstest.Say("read"))
			b.done("read it")
			_ = b.session.Close()

			if err := os.WriteFile(path, []byte(c.now), 0o644); err != nil {
				t.Fatal(err)
			}
			b.options.Resume, b.session = true, nil
			b.stub.Push(
				harnesstest.Use("toolu_2", "Edit", map[string]string{"file_path": "f", "old_string": "o", "new_string": "0"}),
				harnesstest.Say("edited"))
			b.done("edit it")
			got, _ := os.ReadFile(path)
			if c.want == "" && string(got) != "0ld\n" {
				t.Errorf("got %q; the model was told: %s", got, told(b.lastMessage().Content[0]))
			}
			if text := told(b.lastMessage().Content[0]); !strings.Contains(text, c.want) {
				t.Errorf("the model was told: %s", text)
			}
		})
	}
}

// A crash cuts off a call that only looks and one that may have changed
// something: the first is made again, the second is told so.
func TestLooksThatWereCutOffAreMadeAgain(t *testing.T) {
	b := newBench(t)
	if err := os.WriteFile(b.options.Dir+"/f", []byte("content\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.stub.Push(harnesstest.Reply{Blocks: []harnesstest.Block{
		harnesstest.CallBlock("toolu_1", "Read", map[string]string{"file_path": "f"}),
		harnesstest.CallBlock("toolu_2", "Bash", map[string]string{"command": "true"}),
	}}, harnesstest.Say("done"), harnesstest.Say("done"))
	b.done("go")
	_ = b.session.Close()
	b.transcript.Cut(sessionID, 2) // what was said, and the answer with its calls

	b.options.Resume, b.session = true, nil
	b.done("")
	results := b.lastMessage().Content
	if len(results) != 2 || !strings.Contains(told(results[0]), "content") || !strings.Contains(told(results[1]), "[interrupted]") {
		t.Errorf("the model was told: %+v", results)
	}
}

// told is the text of a tool result.
func told(result harnesstest.WireBlock) string {
	var all []string
	for _, b := range result.Content {
		all = append(all, b.Text)
	}
	return strings.Join(all, "\n")
}
