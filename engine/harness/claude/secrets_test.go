package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
)

// The CLI searches folders by itself; what is withheld is not found, and what the
// person opens later is.
func TestSearchesLeaveSecretsOut(t *testing.T) {
	stub := harnesstest.NewStub(t)
	search := func(id, tool string, input map[string]string) harnesstest.Block {
		return harnesstest.CallBlock(id, tool, input)
	}
	all := []harnesstest.Block{
		search("toolu_1", "Grep", map[string]string{"pattern": "TOKEN", "output_mode": "content"}),
		search("toolu_2", "Grep", map[string]string{"pattern": "TOKEN", "path": "sub"}),
		search("toolu_3", "Glob", map[string]string{"pattern": "**/*"}),
	}
	stub.Push(harnesstest.Reply{Blocks: all}, harnesstest.Say("done"))
	var withheld []string
	s := direct(t, stub, func(o *harness.Options) {
		o.Tools = []string{"Grep", "Glob"}
		o.Withheld = func() []string { return withheld }
		if err := os.Mkdir(filepath.Join(o.Dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{".env", "sub/.env.local", "a.txt", ".env.example"} {
			if err := os.WriteFile(filepath.Join(o.Dir, name), []byte("TOKEN="+name+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	})
	withheld = []string{"**/.env", "**/.env.local"}
	found := func() string {
		ended, events := turnOf(t, s, "go")
		if ended.Stop != harness.StopDone {
			t.Fatalf("ended %+v", ended)
		}
		raw, err := json.Marshal(results(events))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	got := found()
	if strings.Contains(got, "TOKEN=.env\\n") || strings.Contains(got, ".env.local") || !strings.Contains(got, "TOKEN=a.txt") || !strings.Contains(got, ".env.example") {
		t.Errorf("found %s", got)
	}
	withheld = []string{"**/.env"}
	for i := range all {
		all[i] = search("toolu_again_"+string(rune('a'+i)), []string{"Grep", "Grep", "Glob"}[i], map[string]string{"pattern": []string{"TOKEN", "TOKEN", "**/*"}[i]})
	}
	stub.Push(harnesstest.Reply{Blocks: all}, harnesstest.Say("done"))
	if got := found(); !strings.Contains(got, ".env.local") || strings.Contains(got, `\n.env\n`) {
		t.Errorf("with .env.local opened, found %s", got)
	}
}

func results(events []harness.Event) []string {
	var all []string
	for _, e := range events {
		if r, ok := e.(harness.ToolResult); ok {
			all = append(all, r.Result.Text+"\n")
		}
	}
	return all
}
