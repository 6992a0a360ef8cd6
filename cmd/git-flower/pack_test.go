package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/gitstate"
	"git-flower/plugin"
)

// write makes files in the repository of a desk and commits them.
func (d *desk) commitFiles(files map[string]string) {
	for name, text := range files {
		path := filepath.Join(d.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			d.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			d.t.Fatal(err)
		}
		d.git("add", "-f", name)
	}
	d.git("commit", "-qm", "files")
}

func TestFindPack(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.commitFiles(map[string]string{
		"plugin/main.go": "package plugin", ".flower/plugin/.claude-plugin/plugin.json": "{}", "deep/er/.claude-plugin/plugin.json": "{}", "file": "x",
	})
	if err := os.Symlink("deep/er", filepath.Join(d.dir, "link")); err != nil {
		t.Skip(err)
	}
	d.git("add", "link")
	d.git("commit", "-qm", "link")
	store, err := d.env.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	head, err := store.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]string{
		"": ".flower/plugin", "none": "", "deep/er": "deep/er", "deep/er/": "deep/er",
		"plugin": "!", "deep": "!", "link": "!", "file": "!", ".": "!", "/": "!", "../x": "!", "/etc": "!", "./deep/er": "!", "deep/er:x": "!", "--help": "!", "deep/er\x00": "!",
	} {
		folder, tree, err := findPack(t.Context(), store.Git(), head, setting)
		switch {
		case want == "!" && (err == nil || asEnding(err).hint == ""):
			t.Errorf("'%s': %s %s %v", setting, folder, tree, err)
		case want != "!" && (err != nil || folder != want || (tree == "") != (want == "")):
			t.Errorf("'%s': %s %s %v", setting, folder, tree, err)
		}
	}
}

func TestReadPackTakesFilesAlone(t *testing.T) {
	d := newDesk(t)
	d.repository()
	files := map[string]string{"p/.claude-plugin/plugin.json": `{"name":"kit"}`, "p/skills/x/SKILL.md": "---\ndescription: d\n---\nb", "p/skills/x/big": strings.Repeat("x", plugin.MaxFile+1)}
	d.commitFiles(files)
	if err := os.Symlink("/etc/passwd", filepath.Join(d.dir, "p/skills/x/out")); err != nil {
		t.Skip(err)
	}
	d.git("add", "p")
	d.git("update-index", "--add", "--cacheinfo", "160000,1234567890123456789012345678901234567890,p/module")
	d.git("commit", "-qm", "more")
	store, err := d.env.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := store.Git().Line(t.Context(), "rev-parse", "HEAD:p")
	if err != nil {
		t.Fatal(err)
	}
	read, err := readPack(t.Context(), store.Git(), gitstate.ObjectID(tree))
	if err != nil {
		t.Fatal(err)
	}
	p, err := load(read)
	if err != nil || len(p.Skills) != 1 || len(p.Skills[0].Files) != 0 || len(p.Problems) != 3 {
		t.Errorf("%v %+v", err, p)
	}
	if _, err := readPack(t.Context(), store.Git(), "1234567890123456789012345678901234567890"); err == nil {
		t.Error("a tree that is not here")
	}
}

func TestFitOfAgents(t *testing.T) {
	c := &carried{pack: &plugin.Pack{Problems: []plugin.Problem{{File: "a", What: "b"}}, Agents: []plugin.Agent{
		{Name: "judge", File: "1"}, {Name: "coder", File: "2"},
		{Name: "dear", File: "3", Model: "gpt-9", Effort: "high"},
		{Name: "known", File: "4", Model: "haiku", Effort: "high", Tools: []string{"Read", "Bash(x *)"}},
		{Name: "odd", File: "5", Model: "haiku", Effort: "extreme"},
		{Name: "users", File: "6", Model: "haiku", Effort: "high"},
	}}}
	c.fit(Config{Roles: map[string]RoleConfig{"users": {Model: "local"}}})
	var kinds []string
	for _, k := range c.kinds {
		kinds = append(kinds, fmt.Sprint(k.Name, " ", k.Model, " ", k.Effort))
	}
	if got := strings.Join(kinds, ", "); got != "dear  , known haiku high, odd haiku , users haiku " {
		t.Error(got)
	}
	said := strings.Join(c.problems, "\n")
	for _, want := range []string{"a: b", "1: not loaded", "2: not loaded", "3: the model 'gpt-9'", "3: the effort", "4: without Bash(x *)", "5: the effort", "6: the effort"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
}

func TestOursIsOurs(t *testing.T) {
	f := &plugin.Files{}
	f.Put(plugin.ManifestFile, []byte(`{"name":"flower"}`))
	if _, err := load(f); err == nil {
		t.Error("a pack takes the name of ours")
	}
}

func TestDoctorTellsOfThePack(t *testing.T) {
	d := newDesk(t)
	d.repository()
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-secret-one")
	d.expect(0, "doctor")
	has(t, d.out.String(), "pack        none")
	d.commitFiles(map[string]string{
		"plugin/.claude-plugin/plugin.json": `{"name":"kit","version":"2"}`, "plugin/skills/x/SKILL.md": "---\ndescription: d\n---\nb",
		"plugin/skills/y/SKILL.md": "no head", "plugin/agents/tester.md": "---\ndescription: \"tests \\u001b[2J\"\nmodel: haiku\n---\nb",
		"plugin/hooks/hooks.json": `{"hooks":{"Stop":[]}}`, "plugin/.mcp.json": `{"mcpServers":{"gh\u001b[31m":{}}}`,
	})
	d.expect(0, "doctor")
	has(t, d.out.String(), "kit 2 (", "1 skill, workers also of kind tester (haiku)", "    not run: hooks for Stop; MCP servers gh", "    skills/y/SKILL.md:1: not loaded")
	if strings.Contains(d.out.String(), "\x1b") {
		t.Errorf("%q", d.out.String())
	}
	d.expect(0, "doctor", "--json")
	has(t, d.out.String(), `"notes":[`)
	d.git("config", "flower.plugin", "other")
	d.expect(1, "doctor")
	has(t, d.err.String(), "other", "hint: ")
}
