package messages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
)

// layPack makes a folder with a pack of skills, by name their texts.
func layPack(t testing.TB, name string, skills map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a pack")
	files := map[string]string{".claude-plugin/plugin.json": `{"name":"` + name + `"}`}
	for skill, body := range skills {
		files["skills/"+skill+"/SKILL.md"] = "---\ndescription: about " + skill + "\n---\n" + body
	}
	for file, text := range files {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSkillsAreListedAndRead(t *testing.T) {
	one := layPack(t, "one", map[string]string{"deploy": "In ${CLAUDE_SKILL_DIR} of ${CLAUDE_PLUGIN_ROOT}: $ARGUMENTS.", "test": "Test it."})
	two := layPack(t, "two", map[string]string{"test": "Two."})
	b := newBench(t)
	b.options.Tools, b.options.Plugins = append(b.options.Tools, "Skill"), []string{one, two}
	b.stub.Push(harnesstest.Say("ok"))
	b.done("hi")
	r := b.stub.Last()
	list := r.System[2].Text
	for _, want := range []string{"- one:deploy: about deploy\n", "- one:test: about test\n", "- two:test: about test"} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not in %s", want, list)
		}
	}
	if !strings.HasPrefix(r.System[3].Text, "Role: worker") || len(r.Tools) != 8 {
		t.Errorf("%d tools, %+v", len(r.Tools), r.System)
	}

	k := newKit(t)
	tools, err := newToolset(&Harness{}, harness.Options{Dir: k.dir, Tools: []string{"Skill"}, Plugins: []string{one, two}})
	if err != nil {
		t.Fatal(err)
	}
	k.tools = tools
	deploy := filepath.Join(one, "skills", "deploy")
	for name, want := range map[string]string{
		"one:deploy": "Base directory for this skill: " + deploy + "\n\nIn " + deploy + " of " + one + ": to $1.",
		"/deploy":    ": to $1.",
		" one:test ": "Test it.\n\nARGUMENTS: to $1",
		"two:test":   "Two.\n\nARGUMENTS: to $1",
	} {
		if got := k.good("Skill", in{"skill": name, "args": "to $1"}); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, name := range []string{"test", "", "three:test", "../one:deploy"} {
		k.bad("Skill", in{"skill": name}, "one:deploy, one:test, two:test")
	}
}

func TestWithoutSkillsThereIsNoTool(t *testing.T) {
	pack := layPack(t, "one", map[string]string{"test": "Test it."})
	for _, o := range []harness.Options{
		{Tools: []string{"Skill"}}, {Tools: []string{"Read"}, Plugins: []string{pack}},
		{Tools: []string{"Skill"}, Plugins: []string{layPack(t, "none", nil)}},
	} {
		o.Dir = t.TempDir()
		s, err := newToolset(&Harness{}, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, there := s.find("Skill"); there || s.skills.list() != "" {
			t.Errorf("%+v: %s", o, s.skills.list())
		}
	}
	if _, err := newToolset(&Harness{}, harness.Options{Dir: "/", Tools: []string{"Skill"}, Plugins: []string{filepath.Join(pack, "none")}}); err == nil {
		t.Error("a pack that is not there is passed over")
	}
}
