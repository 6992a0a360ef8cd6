package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
)

// The CLI is told of a pack's skills and reads them on use.
func TestSkillsOfAPack(t *testing.T) {
	pack := t.TempDir()
	for name, text := range map[string]string{
		".claude-plugin/plugin.json": `{"name":"garden","version":"1.0.0","description":"for gardens"}`,
		"skills/prune/SKILL.md":      "---\nname: prune\ndescription: How to prune roses in this garden\n---\nCut above the third leaf.\n",
	} {
		path := filepath.Join(pack, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stub := harnesstest.NewStub(t)
	stub.Push(harnesstest.Use("toolu_1", "Skill", map[string]string{"skill": "garden:prune"}),
		harnesstest.Use("toolu_2", "Skill", map[string]string{"skill": "update-config"}), harnesstest.Say("done"))
	s := direct(t, stub, func(o *harness.Options) { o.Tools, o.Plugins = []string{"Skill", "Read"}, []string{pack} })
	ended, events := turnOf(t, s, "go")
	if ended.Stop != harness.StopDone {
		t.Fatalf("ended %+v", ended)
	}
	denied := map[string]bool{}
	for _, e := range events {
		if r, ok := e.(harness.ToolResult); ok {
			denied[r.ID] = r.Denied
		}
	}
	if denied["toolu_1"] || !denied["toolu_2"] {
		t.Errorf("denied: %v", denied)
	}
	if first := string(stub.Requests()[0].Body); !strings.Contains(first, "How to prune roses in this garden") {
		t.Error("the model was not told of the skill")
	}
	if last := string(stub.Last().Body); !strings.Contains(last, "Cut above the third leaf.") {
		t.Error("the skill was not read")
	}
}
