package claude

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/guards"
)

// Shapes as the CLI gives them, and what becomes of them.
func TestTexts(t *testing.T) {
	long := strings.Repeat("x", 300)
	for name, tt := range map[string]struct{ in, text, replaced string }{
		"Bash":        {`{"stdout":"out","stderr":"","interrupted":false}`, "out", `{"interrupted":false,"stderr":"","stdout":"new"}`},
		"Bash, both":  {`{"stdout":"` + long + `x","stderr":"` + long + `"}`, long + "x\n" + long, `{"stderr":"","stdout":"new"}`},
		"Read":        {`{"type":"text","file":{"filePath":"/a/very/long/path/to/a/file.go","content":"a\nb","numLines":2}}`, "a\nb", `{"file":{"content":"new","filePath":"/a/very/long/path/to/a/file.go","numLines":2},"type":"text"}`},
		"Grep, names": {`{"mode":"files_with_matches","filenames":["a.txt","bb.txt"],"numFiles":2}`, "bb.txt", `{"filenames":["a.txt","new"],"mode":"files_with_matches","numFiles":2}`},
		"a string":    {`"all of it"`, "all of it", `"new"`},
		"blocks":      {`[{"type":"text","text":"hello"}]`, "hello", `[{"text":"new","type":"text"}]`},
		"Edit":        {`{"filePath":"/x","oldString":"` + long + `","newString":"y","originalFile":"` + long + `"}`, "", `{"filePath":"/x","newString":"y","oldString":"` + long + `","originalFile":"` + long + `"}`},
		"no JSON":     {`{`, "", `{`},
		"nothing":     {``, "", ``},
	} {
		if got := textOf([]byte(tt.in)); got != tt.text {
			t.Errorf("%s: text %q", name, got)
		}
		if got := withText([]byte(tt.in), "new"); string(got) != tt.replaced {
			t.Errorf("%s: replaced %s", name, got)
		}
	}
}

// What the observer makes of a result is what the model reads, for each tool: a
// shape that the tool does not know is dropped without a word.
func TestReplacedResults(t *testing.T) {
	stub := harnesstest.NewStub(t)
	var dir string
	s := direct(t, stub, func(o *harness.Options) {
		o.Tools = []string{"Bash", "Read", "Grep", "Glob"}
		dir = o.Dir
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("needle one\nneedle two\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		o.Observe = func(_ context.Context, c guards.Call, r harness.Result) harness.Result {
			r.Text = "SHORT FOR " + c.Tool
			return r
		}
	})
	stub.Push(harnesstest.Reply{Blocks: []harnesstest.Block{
		harnesstest.CallBlock("toolu_1", "Bash", map[string]string{"command": "cat a.txt"}),
		harnesstest.CallBlock("toolu_2", "Read", map[string]string{"file_path": filepath.Join(dir, "a.txt")}),
		harnesstest.CallBlock("toolu_3", "Grep", map[string]string{"pattern": "needle", "output_mode": "content"}),
		harnesstest.CallBlock("toolu_4", "Grep", map[string]string{"pattern": "needle"}),
		harnesstest.CallBlock("toolu_5", "Glob", map[string]string{"pattern": "*.txt"}),
	}}, harnesstest.Say("done"))
	if ended, _ := turnOf(t, s, "go"); ended.Stop != harness.StopDone {
		t.Fatalf("ended %+v", ended)
	}
	for id, tool := range map[string]string{"toolu_1": "Bash", "toolu_2": "Read", "toolu_3": "Grep", "toolu_4": "Grep", "toolu_5": "Glob"} {
		b, ok := stub.Last().ResultOf(id)
		if got := b.Result(); !ok || !strings.Contains(got, "SHORT FOR "+tool) || strings.Contains(got, "needle") || strings.Contains(got, "a.txt") {
			t.Errorf("%s (%s): the model reads %q", id, tool, got)
		}
	}
}
