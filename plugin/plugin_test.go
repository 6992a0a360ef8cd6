package plugin

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// filesOf are files from a table.
func filesOf(all map[string]string) *Files {
	f := &Files{}
	names := []string{}
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f.Put(name, []byte(all[name]))
	}
	return f
}

const manifest = `{"name": "kit", "version": "1.2", "description": "A kit."}`

// packOf is the pack of a manifest and further files.
func packOf(t testing.TB, all map[string]string) *Pack {
	t.Helper()
	if _, ok := all[ManifestFile]; !ok {
		all[ManifestFile] = manifest
	}
	p, err := Load(filesOf(all))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *Pack) told() string {
	var b strings.Builder
	for _, problem := range p.Problems {
		b.WriteString(problem.Error() + "\n")
	}
	return b.String()
}

func skillText(head, body string) string { return "---\n" + head + "\n---\n" + body }

func TestLoad(t *testing.T) {
	p := packOf(t, map[string]string{
		"skills/deploy/SKILL.md":       bom + "---\r\nname: deploy\r\ndescription: >-\r\n  How to\r\n  deploy.\r\nwhen_to_use: 'Before: a release.'\r\n---\r\n\r\n# Deploy\r\nrun it\r\n",
		"skills/deploy/scripts/go.sh":  "#!/bin/sh\n",
		"skills/deploy/data/a.bin":     "\x00\xff",
		"agents/reviewer.md":           skillText("name: reviewer\ndescription: Reviews.\ntools: Read, Bash(git diff *, git log), Grep\ndisallowedTools: [Write]\nmodel: sonnet\neffort: high\nmaxTurns: 7", "You review.\n"),
		"agents/deeper/doc-writer.md":  skillText("description: Writes: well\ntools: [Read, Write]\nmodel: inherit", "Write."),
		"hooks/hooks.json":             `{"hooks": {"PreToolUse": [], "Stop": []}}`,
		".mcp.json":                    `{"mcpServers": {"github": {"command": "x"}}}`,
		"commands/a.md":                "x",
		"bin/tool":                     "x",
		"monitors/monitors.json":       "[]",
		"README.md":                    "of no interest",
		"skills/deploy/references/x.m": "y",
	})
	if p.Name != "kit" || p.Version != "1.2" || p.Description != "A kit." || len(p.Problems) != 0 {
		t.Errorf("%+v\n%s", p, p.told())
	}
	if len(p.Skills) != 1 || p.Skills[0].Description != "How to deploy. Before: a release." || p.Skills[0].Body != "# Deploy\nrun it" || len(p.Skills[0].Files) != 3 {
		t.Errorf("%+v", p.Skills)
	}
	want := "[{agents/deeper/doc-writer.md doc-writer Writes: well Write. [Read Write] []   0} " +
		"{agents/reviewer.md reviewer Reviews. You review. [Read Bash(git diff *, git log) Grep] [Write] sonnet high 7}]"
	if got := fmt.Sprint(p.Agents); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := fmt.Sprint(p.Hooks, p.MCPServers, p.Unused); got != "[PreToolUse Stop] [github] [commands programs (bin/) monitors]" {
		t.Error(got)
	}
}

func TestNoPack(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "plugin.json:1: it is no JSON",
		"{\n\"name\":\n}":          "plugin.json:3: it is no JSON",
		"[]":                       "no JSON object",
		"null":                     "no JSON object",
		"{}":                       "name is missing",
		`{"name": 3}`:              "name is missing",
		`{"name": "A b"}`:          "lower-case",
		`{"name": "-a"}`:           "lower-case",
		`{"name": "\u001b[31m"}`:   "lower-case",
		`{"name": "../up"}`:        "lower-case",
		strings.Repeat(" ", 70000): "70000 bytes",
		`{"name": "` + strings.Repeat("a", 70) + `"}`: "longer",
	} {
		_, err := Load(filesOf(map[string]string{ManifestFile: text}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
	if _, err := Load(&Files{}); err == nil {
		t.Error("a pack of nothing")
	}
}

// What cannot be used is said, by file and line, and nothing else is lost by it.
func TestProblems(t *testing.T) {
	good := skillText("description: d", "b")
	for _, c := range []struct{ file, text, want string }{
		{"skills/x/SKILL.md", "no head", "skills/x/SKILL.md:1: not loaded: it does not begin"},
		{"skills/x/SKILL.md", "---\na: b\n", "SKILL.md:1: not loaded: its head has no end"},
		{"skills/x/SKILL.md", skillText("name: x", ""), "no description"},
		{"skills/x/SKILL.md", skillText("name: x\ndescription:\nx: y", ""), "SKILL.md:3: not loaded: it has no description"},
		{"skills/x/SKILL.md", skillText("a: b\ndescription: [a", ""), "no YAML"},
		{"skills/x/SKILL.md", skillText("a: b\n\tdescription: c", ""), "SKILL.md:3: not loaded: its head is no YAML"},
		{"skills/x/SKILL.md", skillText("description: a\ndescription: b", ""), "description"},
		{"skills/x/SKILL.md", skillText("a: &a b\ndescription: *a", ""), "SKILL.md:2: not loaded: the value of 'a' has an anchor"},
		{"skills/x/SKILL.md", skillText("description: !!str x", ""), "a tag"},
		{"skills/x/SKILL.md", skillText("- a", ""), "not of the form"},
		{"skills/x/SKILL.md", skillText("a: "+strings.Repeat("[", 5000), ""), "nested too deeply"},
		{"skills/x/SKILL.md", skillText("a: "+strings.Repeat("- ", 2000), ""), "no YAML"},
		{"skills/x/SKILL.md", skillText("a: "+strings.Repeat("x", 9000), ""), "its head has"},
		{"skills/x/SKILL.md", skillText("description: d", strings.Repeat("x", 70000)), "may have 65536"},
		{"skills/x/SKILL.md", skillText("description: \xff", ""), "not UTF-8"},
		{"skills/x/SKILL.md", skillText("description: d", "a\u202eb\u00ad\x1b[2J"), "invisible characters"},
		{"skills/x/SKILL.md", skillText("description: d\ndisable-model-invocation: true", ""), "SKILL.md:3: not loaded: it is for people"},
		{"skills/x/SKILL.md", skillText("description: d\nname: y", ""), "SKILL.md:3: it is called 'x'"},
		{"skills/x/SKILL.md", skillText("description: d\nallowed-tools: Bash", ""), "SKILL.md:3: 'allowed-tools' has no effect"},
		{"skills/x/SKILL.md", skillText("description: d\nhooks:\n  Stop: []", ""), "SKILL.md:3: 'hooks' has no effect"},
		{"skills/x/SKILL.md", skillText("description: d", "Now: !`touch x`"), "are not run"},
		{"skills/x/SKILL.md", skillText("description: d", "```!\ntouch x\n```"), "are not run"},
		{"skills/X/SKILL.md", good, "not loaded: the skill's name"},
		{"skills/x/README.md", good, "has no SKILL.md"},
		{"skills/x.md", good, "holds folders"},
		{"agents/x.txt", good, "files of Markdown"},
		{"agents/X.md", good, "not loaded: the agent's name"},
		{"agents/coder-1.md", good, "ends in a number"},
		{"agents/x.md", skillText("description: d\nname: "+strings.Repeat("x", 41), ""), "x.md:3: not loaded: the agent's name is longer"},
		{"agents/x.md", skillText("description: d\ntools: {a: b}", ""), "x.md:3: not loaded: 'tools'"},
		{"agents/x.md", skillText("description: d\ndisallowedTools:\n- [a]", ""), "x.md:3: not loaded: 'disallowedTools'"},
		{"agents/x.md", skillText("description: d\nmaxTurns: -1", ""), "x.md:3: 'maxTurns'"},
		{"agents/x.md", skillText("description: d\npermissionMode: bypassPermissions", ""), "x.md:3: 'permissionMode' has no effect"},
		{"agents/x.md", skillText("description: d\nname: good", ""), "is the agent of agents/good.md already"},
		{"hooks/hooks.json", "{", "hooks.json:"},
		{".mcp.json", "[1]", "no JSON object"},
	} {
		p := packOf(t, map[string]string{"skills/good/SKILL.md": good, "agents/good.md": good, c.file: c.text})
		if len(p.Problems) != 1 || !strings.Contains(p.told(), c.want) {
			t.Errorf("%s %.60q: %s, want %s", c.file, c.text, p.told(), c.want)
		}
		if len(p.Skills) == 0 || p.Skills[0].Name != "good" || len(p.Agents) == 0 || p.Agents[0].Name != "good" {
			t.Errorf("%s %.60q: the good ones are lost: %v %v", c.file, c.text, p.Skills, p.Agents)
		}
	}
}

// What cannot be understood may have been meant to run, and is named.
func TestBrokenHooksAreNamed(t *testing.T) {
	p := packOf(t, map[string]string{
		"hooks/hooks.json": "{", ".mcp.json": "nothing",
		ManifestFile: `{"name": "kit", "hooks": ["./more.json", {"Stop": []}], "mcpServers": "./servers.json"}`,
		"more.json":  `{"hooks": {"SessionStart": []}}`,
	})
	if got := fmt.Sprint(p.Hooks, p.MCPServers); got != "[SessionStart Stop hooks/hooks.json] [.mcp.json servers.json]" {
		t.Error(got)
	}
}

func TestWants(t *testing.T) {
	f := &Files{}
	f.Put("README.md", nil)
	for _, c := range []struct {
		name string
		mode fs.FileMode
		size int64
	}{
		{"a", fs.ModeSymlink, 1}, {"a", fs.ModeNamedPipe, 1}, {"a", fs.ModeDir, 1}, {"a", 0, MaxFile + 1}, {"readme.md", 0, 1}, {"README.md", 0, 1},
		{"../a", 0, 1}, {"/a", 0, 1}, {"a//b", 0, 1}, {".", 0, 1}, {"", 0, 1}, {"a\nb", 0, 1}, {"a\x1bb", 0, 1}, {"a\xffb", 0, 1}, {"a\u202eb", 0, 1}, {`a\b`, 0, 1}, {"c:a", 0, 1},
		{"x/.git/config", 0, 1}, {"x/.GIT/config", 0, 1}, {"x./y", 0, 1}, {"x /y", 0, 1}, {strings.Repeat("a/", maxDepth) + "b", 0, 1}, {strings.Repeat("a", 201), 0, 1},
	} {
		before := len(f.problems)
		if f.Wants(c.name, c.mode, c.size) || len(f.problems) != before+1 {
			t.Errorf("%q %v %d is wanted, or nothing is said", c.name, c.mode, c.size)
		}
	}
	for i := range 2 * MaxFiles {
		f.Put(fmt.Sprintf("f%d", i), make([]byte, 1<<15))
	}
	if f.size > MaxSize || len(f.data) > MaxFiles || len(f.problems) > maxTold+1 {
		t.Errorf("%d bytes, %d files, %d problems", f.size, len(f.data), len(f.problems))
	}
}

func TestReadFolderStaysInside(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(outside, "SKILL.md"), skillText("description: secret", "secret"))
	write(filepath.Join(dir, ManifestFile), manifest)
	write(filepath.Join(dir, "skills/good/SKILL.md"), skillText("description: d", "b"))
	for link, to := range map[string]string{"skills/out": outside, "skills/good/file": filepath.Join(outside, "SKILL.md"), "agents": outside, "skills/good/loop": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	f, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Load(f)
	if err != nil || len(p.Skills) != 1 || len(p.Skills[0].Files) != 0 || len(p.Agents) != 0 || len(p.Problems) != 4 {
		t.Errorf("%v %+v", err, p)
	}
	if _, err := ReadFolder(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that does not exist")
	}
}

func TestBase(t *testing.T) {
	p, err := Base()
	if err != nil || p.Name != BaseName || len(p.Skills) != 3 || len(p.Problems)+len(p.Hooks)+len(p.MCPServers)+len(p.Unused)+len(p.Agents) != 0 {
		t.Errorf("%v %+v", err, p)
	}
}

// laidOut is what Write makes of a pack, by name.
func laidOut(t testing.TB, p *Pack) map[string]string {
	dir, err := os.MkdirTemp("", "pack")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := p.Write(dir); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(name)
			rel, _ := filepath.Rel(dir, name)
			all[filepath.ToSlash(rel)] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(f)
	if err != nil || len(again.Problems) > 0 || len(again.Skills) != len(p.Skills) {
		t.Fatalf("what is laid out is no pack of %d skills: %v %+v", len(p.Skills), err, again)
	}
	for i, s := range again.Skills {
		if s.Name != p.Skills[i].Name || s.Description != p.Skills[i].Description || s.Body != p.Skills[i].Body {
			t.Fatalf("%+v became %+v", p.Skills[i], s)
		}
	}
	return all
}

func TestWriteLaysOutWhatIsAllowedAndNothingElse(t *testing.T) {
	p := packOf(t, map[string]string{
		ManifestFile:                     `{"name": "kit", "hooks": {"Stop": []}, "mcpServers": {"a": {}}, "commands": "./x", "lspServers": {}}`,
		"skills/x/SKILL.md":              skillText("description: 'a \"b\": c'\nallowed-tools: Bash\nhooks: {Stop: []}\ncontext: fork", "one !`touch x` !!`` two\n```!\ntouch y\n```"),
		"skills/x/run.sh":                "#!/bin/sh\n",
		"skills/x/.mcp.json":             "{}",
		"skills/x/deep/SKILL.md":         "x",
		"skills/x/skill.md/a":            "x",
		"skills/x/.claude/settings.json": "{}",
		"agents/a.md":                    skillText("description: d", ""),
		"commands/a.md":                  "x", "hooks/hooks.json": `{"Stop": []}`, ".mcp.json": "{}", "bin/ls": "#!/bin/sh\n", "settings.json": "{}",
		".lsp.json": "{}", "monitors/monitors.json": "[]", "output-styles/a.md": "x", "scripts/a.sh": "#!/bin/sh\n",
	})
	got := laidOut(t, p)
	want := map[string]string{
		ManifestFile:          `{"name":"kit"}`,
		"skills/x/SKILL.md":   "---\nname: x\ndescription: \"a \\\"b\\\": c\"\n---\n\none `touch x` `` two\n```\ntouch y\n```\n",
		"skills/x/run.sh":     "#!/bin/sh\n",
		"skills/x/skill.md/a": "x",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestNarrow(t *testing.T) {
	has := []string{"Read", "Write", "Bash", "BashOutput", "KillShell", "Grep", "Skill"}
	for _, c := range []struct {
		tools, denied []string
		gets, left    string
	}{
		{nil, nil, "[Read Write Bash BashOutput KillShell Grep Skill]", "[]"},
		{[]string{}, nil, "[]", "[]"},
		{[]string{"Read", "Grep"}, nil, "[Read Grep]", "[]"},
		{[]string{"Bash"}, nil, "[Bash BashOutput KillShell]", "[]"},
		{[]string{"Bash(git *)", "Read"}, nil, "[Read]", "[Bash(git *)]"},
		{[]string{"*", "read", "dispatch", "mcp__x__y", "Agent"}, nil, "[]", "[* read dispatch mcp__x__y Agent]"},
		{nil, []string{"Bash(rm *)", "Write"}, "[Read Grep Skill]", "[]"},
		{[]string{"Read", "Write"}, []string{"Write"}, "[Read]", "[]"},
		{nil, []string{"*"}, "[]", "[]"},
	} {
		gets, left := Agent{Tools: c.tools, Denied: c.denied}.Narrow(has)
		if fmt.Sprint(gets) != c.gets || fmt.Sprint(left) != c.left {
			t.Errorf("%q %q: %v %v", c.tools, c.denied, gets, left)
		}
	}
}

// Whatever an agent says, it has nothing that workers do not have.
func TestNarrowNeverWidens(t *testing.T) {
	has := []string{"Read", "Write", "Bash", "BashOutput", "Grep"}
	word := rapid.OneOf(rapid.SampledFrom([]string{"Read", "Bash", "Bash(git *)", "*", "Agent", "dispatch", "verdict", "mcp__a__b", "BashOutput", "KillShell", "read", ""}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		a := Agent{Tools: rapid.SliceOf(word).Draw(t, "tools"), Denied: rapid.SliceOf(word).Draw(t, "denied")}
		gets, _ := a.Narrow(has)
		for _, tool := range gets {
			if !slices.Contains(has, tool) || slices.Contains(a.Denied, tool) {
				t.Fatalf("%q is given", tool)
			}
		}
	})
}

// A text of nothing but marks is read once, not once for each of them.
func TestMarksInARow(t *testing.T) {
	f, n := &Files{}, 10_000
	for body, want := range map[string]string{
		strings.Repeat("!", n) + "`touch x`": "`touch x`", "```" + strings.Repeat("!", n) + "\ntouch x\n```": "```\ntouch x\n```",
	} {
		got := ""
		if made := testing.AllocsPerRun(1, func() { got = f.quiet("x", body) }); got != want || made > 1000 {
			t.Errorf("%d bytes are left, with %v allocations", len(got), made)
		}
	}
}

// Nothing that stands in a file breaks the loading of a pack, and what is laid out
// of it is a pack without problems.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		skillText("description: d", "b"), skillText("name: x\ndescription: |\n  a\n  b\ntools: [Read, Bash(a, b)]\nmaxTurns: 3", "!`a`"),
		"---\n---\n", "---\na: &a [*a]\n---\n", skillText("description: a: b: c", ""), skillText("? - - -\n: x", ""), skillText("<<: *x", ""), skillText("description: \"\\x", ""),
		bom + "---\r\ndescription: x\r---\r", skillText("description: {a: {b: c}}", ""), skillText("a: b\n---\ndescription: c", ""), skillText("description: '", "`!!```!"),
	} {
		f.Add([]byte(text), []byte(manifest))
	}
	f.Add([]byte("x"), []byte(`{"name":"a","hooks":[[[{"a":1}]]],"mcpServers":"x"}`))
	f.Fuzz(func(t *testing.T, text, manifest []byte) {
		p, err := Load(filesOf(map[string]string{
			ManifestFile: string(manifest), "skills/x/SKILL.md": string(text), "skills/x/y": string(text), "agents/a.md": string(text),
			"hooks/hooks.json": string(manifest), ".mcp.json": string(text),
		}))
		if err != nil {
			return
		}
		for _, s := range p.Skills {
			if s.Description == "" || strings.Contains(s.Body, "!`") || strings.Contains(s.Body, "```!") {
				t.Errorf("%+v", s)
			}
		}
		for _, problem := range p.Problems {
			if said := problem.Error(); said != printable(said) {
				t.Errorf("%q", said)
			}
		}
		laidOut(t, p)
	})
}
