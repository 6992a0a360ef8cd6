package engine

import (
	"slices"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/gitstate/document"
	"git-flower/worktree"
)

// checking has the goal check with a command, and the judge hold it to be reached
// with a quote.
func (r *rig) checking(command, quote string) *rig {
	play := r.fake.Play
	r.runs = func(string, string) int { return 0 }
	r.config.Limits.Rounds = 1
	r.fake.Play = func(t *harnesstest.FakeTurn) harness.Ended {
		switch {
		case has(t.Options, "goal") && len(t.Answered) == 0:
			r.heard(t.Options.Session)
			t.Call("goal", map[string]any{"statement": "It runs.", "checks": []map[string]string{{"text": "it runs", "command": command}}})
			return t.Done("")
		case has(t.Options, "verdict") && len(t.Answered) == 0:
			r.heard(t.Options.Session)
			t.Call("verdict", map[string]any{"state": "reached", "reason": "r", "quote": quote, "checks": []map[string]any{{"check": 1, "passed": true, "evidence": "e"}}})
			return t.Done("")
		}
		return play(t)
	}
	return r
}

// A worker that changes no test, but what runs the tests, has not reached the goal.
func TestWhatGovernsAChecksCommand(t *testing.T) {
	for _, c := range []struct {
		name, command, quote string
		changed              []string
		base                 map[string]string
		want                 EndState
		told                 string
	}{
		{"nothing of the kind", "make test", "", nil, nil, EndReached, ""},
		{"before the Makefile", "make test", "", []string{"GNUmakefile"}, nil, EndNotReached, "protected path was changed: GNUmakefile, which decides what 'make' does"},
		{"words that nobody said", "make test", "add a make target please", []string{"GNUmakefile"}, nil, EndNotReached, "GNUmakefile"},
		{"the brief asks for it", "make test", "It exists.", []string{"Makefile"}, nil, EndNotReached, "Makefile"}, // too short to be a word for it
		{"another program's", "go vet ./...", "", []string{"GNUmakefile", "conftest.py"}, nil, EndReached, ""},
		{"through a script", "sh ci/check.sh", "", []string{"sub/conftest.py"}, map[string]string{"ci/check.sh": "set -e\npython3.12 -m pytest -q\n"}, EndNotReached, "sub/conftest.py"},
		{"a script that talks", "sh ci/check.sh", "", []string{"GNUmakefile"}, map[string]string{"ci/check.sh": "# make sure it runs\n./run\n"}, EndReached, ""},
		{"through two", "cd sub && make check", "", []string{"sub/.npmrc"}, map[string]string{"sub/Makefile": "check:\n\tnpm test\n"}, EndNotReached, "'npm'"},
		{"in place of the program", "go test ./...", "", []string{"bin/go"}, nil, EndNotReached, "bin/go"},
	} {
		r := newRig().checking(c.command, c.quote)
		r.trees.changed, r.trees.files = c.changed, c.base
		o, err := r.run(t)
		if err != nil || o.State != c.want {
			t.Errorf("%s: got %+v, %v, want %v", c.name, o, err, c.want)
			continue
		}
		if v, _ := verdictOf(r.state.History(), 1); !strings.Contains(v.Body, c.told) {
			t.Errorf("%s: the verdict does not tell of it:\n%s", c.name, v.Body)
		}
	}
}

// The brief's word opens the way, and the judge is shown what it is needed for.
func TestTheBriefAsksForIt(t *testing.T) {
	r := newRig().checking("make test", "")
	r.trees.changed = []string{"Makefile"}
	play, shown := r.fake.Play, ""
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
		if has(turn.Options, "verdict") && len(turn.Answered) == 0 {
			shown = turn.Said[0].Text
			r.heard(turn.Options.Session)
			brief, _ := r.state.History().Current("brief")
			turn.Call("verdict", map[string]any{"state": "reached", "reason": "r", "quote": brief.Body, "checks": []map[string]any{{"check": 1, "passed": true, "evidence": "e"}}})
			return turn.Done("")
		}
		return play(turn)
	}
	if o, err := r.run(t); err != nil || o.State != EndReached {
		t.Errorf("got %+v, %v", o, err)
	}
	if !strings.Contains(shown, "Makefile, which decides what 'make' does") {
		t.Errorf("the judge was shown:\n%s", shown)
	}
}

// Every name of the table is found for every program of its row, in any folder
// and any letter case, and for no other program.
func TestEveryRowOfTheTable(t *testing.T) {
	for _, g := range governors {
		for _, pattern := range g.names {
			name := strings.NewReplacer("*", "x", "?", "x").Replace(pattern)
			if strings.HasSuffix(name, "/") {
				name += "deep/file"
			}
			for _, program := range g.read {
				for _, path := range []string{name, "deep/er/" + name, strings.ToUpper(name), strings.Replace(name, "e", "\u200ce", 1)} {
					h := governs(path, map[string]bool{program: true}, nil)
					if h == nil || h.program != program {
						t.Errorf("'%s' does not govern '%s'", path, program)
					}
				}
			}
			for _, path := range []string{name, "x" + name} {
				if h := governs(path, map[string]bool{"true": true, "test": true}, nil); h != nil {
					t.Errorf("'%s' governs %v", path, h)
				}
			}
			if folder, _, in := strings.Cut(pattern, "/"); in && governs("sub/"+folder, map[string]bool{g.read[0]: true}, nil) == nil {
				t.Errorf("a link in place of '%s' does not govern '%s'", folder, g.read[0])
			}
		}
	}
}

// The table has what common commands are shadowed with. A row that is lost is
// seen here only.
func TestCommonShadows(t *testing.T) {
	for command, paths := range map[string]string{
		"make check":               "GNUmakefile makefile Makefile rules.mk .env",
		"go test ./...":            "go.work vendor/modules.txt vendor/x/y.go go x_test.go",
		"python3 -m pytest":        "conftest.py pytest.ini tox.ini setup.cfg sitecustomize.py .env pytest.py pytest/__main__.py pyproject.toml",
		"npm test":                 "package.json .npmrc jest.config.js jest.config.ts .env node_modules/.bin/jest .mocharc.json vitest.config.ts npm",
		"cargo test":               ".cargo/config.toml .cargo build.rs Cargo.toml rust-toolchain.toml",
		"git diff --check":         ".gitattributes .gitmodules",
		"./gradlew test":           "gradlew gradle/wrapper/gradle-wrapper.jar build.gradle",
		"mvn -q verify":            "pom.xml .mvn/maven.config",
		"bundle exec rspec":        ".rspec spec/spec_helper.rb Rakefile",
		"vendor/bin/phpunit":       "phpunit.xml phpunit.xml.dist composer.json",
		"ctest":                    "CMakeLists.txt CTestCustom.cmake",
		"dotnet test":              "Directory.Build.targets a.runsettings",
		"docker compose run tests": "docker-compose.override.yml compose.yaml .env",
		"just test":                "justfile .env",
		"tox -e py":                "tox.ini",
		"golangci-lint run":        ".golangci.yml",
		"shellcheck x.sh":          ".shellcheckrc",
	} {
		words := map[string]bool{}
		for _, word := range wordsOf([]string{command}, map[string]bool{}) {
			addPrograms(words, word)
		}
		for path := range strings.FieldsSeq(paths) {
			if governs(path, words, heads([]string{command})) == nil {
				t.Errorf("'%s' does not govern '%s'", path, command)
			}
		}
		for _, path := range []string{"main.go", "README.md", "src/lib.rs", "tests/data.json", "index.js", "docs/make.md", ".env.example", "a.py", "LICENSE"} {
			if h := governs(path, words, heads([]string{command})); h != nil {
				t.Errorf("'%s' governs '%s': %v", path, command, h)
			}
		}
	}
}

// What ordinary work changes of a file does not count, what decides about tests does.
func TestWhatCountsOfAFile(t *testing.T) {
	const goTest = "package x\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"
	for _, c := range []struct {
		command, path, before, after string
		counts                       bool
	}{
		{"go test ./...", "a/a_test.go", goTest, goTest + "\nfunc TestB(t *testing.T) {}\n", false},
		{"go test ./...", "a/b_test.go", "", goTest, false},
		{"go test ./...", "a/b_test.go", "", goTest + "\nfunc TestMain(m *testing.M) {}\n", true},
		{"go test ./...", "a/b_test.go", "", goTest + "\nfunc init() { stop() }\n", true},
		{"go test ./...", "a/b_test.go", "", goTest + "\nvar _ = func() int { os.Exit(0); return 0 }()\n", true},
		{"go test ./...", "a/b_test.go", "", goTest + "\nfunc quit() { Exit(0) }\n", true},
		{"go test ./...", "a/b_test.go", "", "//line x.go:1\n" + goTest + "\nfunc init() { stop() }\n", true},
		{"go test ./...", "a/b_test.go", "", "package x\nfunc {", true},
		{"go test ./...", "a/a_test.go", goTest + "func init() { a() }\n", goTest + "func init() { a() }\nfunc TestB(t *testing.T) {}\n", false},
		{"go test ./...", "a/a_test.go", goTest + "func init() { a() }\n", goTest + "func init() { b() }\n", true},
		{"go test ./...", "a/a_test.go", goTest + "func init() { a() }\n", "", true},
		{"go test ./...", "a/a.go", "", "package x\nfunc init() {}\n", false}, // code under test
		{"go test ./...", "go.mod", "module x\n", "module x\nrequire y v1.0.0\n", false},
		{"go test ./...", "go.mod", "module x\n", "module x\nreplace y => ./z\n", true},
		{"go test ./...", "go.mod", "module x\n", "module x\nreplace (\n y v1.0.0 => ./z\n)\n", true},
		{"go test ./...", "go.mod", "module x\n", "module x\ntoolchain go1.99\n", true},
		{"go test ./...", "go.work", "", "go 1.25\n", true},
		{"pytest", "pyproject.toml", "[project]\nname='x'\n", "[project]\nname='x'\ndependencies=['y']\n", false},
		{"pytest", "pyproject.toml", "[project]\n", "[project]\n[tool.pytest.ini_options]\naddopts='--co'\n", true},
		{"pytest", "pyproject.toml", "[project]\n", "[project]\n[ tool . \"pytest\" . ini_options ] # x\naddopts='--co'\n", true},
		{"pytest", "setup.cfg", "[metadata]\n", "[metadata]\nname=x\n", false},
		{"pytest", "setup.cfg", "[metadata]\n", "[metadata]\n[tool:pytest]\naddopts=--co\n", true},
		{"npm test", "package.json", `{"dependencies":{}}`, `{"dependencies":{"a":"1"}}`, false},
		{"npm test", "package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"jest || true"}}`, true},
		{"npm test", "package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"jest","start":"node ."}}`, false},
		{"npm test", "package.json", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"jest","pretest":"rm -r t"}}`, true},
		{"npm run check:all", "package.json", `{}`, `{"scripts":{"check:all":"true"}}`, true},
		{"npm run check:all", "package.json", `{}`, `{"scripts":{"docs:all":"true"}}`, false},
		{"npm test", "package.json", `{}`, `{"jest":{"testMatch":[]}}`, true},
		{"npm test", "package.json", `{}`, `{"a":`, true},
		{"npm test", "package.json", `{}`, `{"scripts":[]}`, true},
		{"cargo test", "Cargo.toml", "[package]\nname='x'\n[dependencies]\n", "[package]\nname='x'\n[dependencies]\na='1'\n", false},
		{"cargo test", "Cargo.toml", "[package]\nname='x'\n", "[package]\nname='x'\n[[test]]\nharness=false\n", true},
		{"cargo test", "Cargo.toml", "[package]\nname='x'\n", "[package]\nname='x'\nautotests=false\n", true},
		{"cargo test", "Cargo.toml", "[package]\nversion='1'\n", "[package]\nversion='2'\n[workspace.dependencies]\na='1'\n", false},
		{"mvn test", "pom.xml", "<dependency/>\n", "<dependency/>\n<dependency/>\n", false},
		{"mvn test", "pom.xml", "<dependency/>\n", "<dependency/>\n<skipTests>true</skipTests>\n", true},
		{"gradle test", "build.gradle", "dependencies {}\n", "dependencies { x }\n", false},
		{"gradle test", "build.gradle", "dependencies {}\n", "dependencies {}\ntest.onlyIf { false }\n", true},
		{"composer test", "composer.json", `{"require":{}}`, `{"require":{"a":"1"}}`, false},
		{"composer test", "composer.json", `{}`, `{"scripts":{"test":"true"}}`, true},
		{"ctest", "CMakeLists.txt", "add_library(x)\n", "add_library(x y)\n", false},
		{"ctest", "CMakeLists.txt", "", "set_tests_properties(x PROPERTIES WILL_FAIL 1)\n", true},
		{"meson test", "meson.build", "", "test('x', y, should_fail: true)\n", true},
		{"mix test", "mix.exs", "", "aliases: [test: []]\n", true},
		{"ruff check", "pyproject.toml", "", "[tool.ruff]\nexclude=['*']\n", true},
		{"make", "Makefile", "a:\n", "a:\n\ttrue\n", true},
		{"make", "Makefile", "a:\n", "a:\n", false},
	} {
		words := map[string]bool{}
		for _, word := range wordsOf([]string{c.command}, map[string]bool{}) {
			addPrograms(words, word)
		}
		h := governs(c.path, words, heads([]string{c.command}))
		before, after := versionsOf(c.path, c.before), versionsOf(c.path, c.after)
		if got := h != nil && h.counts(before, after, c.path, words); got != c.counts {
			t.Errorf("%s, %s: %q to %q: %v", c.command, c.path, c.before, c.after, got)
		}
	}
}

func versionsOf(path, text string) map[string]worktree.File {
	if text == "" {
		return nil
	}
	return map[string]worktree.File{path: {ID: text, Plain: true, Text: text}}
}

// What cannot be read counts whole: a link, a file of any size.
func TestWhatCannotBeReadCounts(t *testing.T) {
	words := map[string]bool{"npm": true}
	h := governs("package.json", words, nil)
	link := map[string]worktree.File{"package.json": {ID: "120000 abc"}}
	if !h.counts(versionsOf("package.json", "{}"), link, "package.json", words) || !h.counts(nil, link, "package.json", words) || h.counts(link, link, "package.json", words) {
		t.Error("a link in place of package.json is not seen for what it is")
	}
}

func TestNamesThatAreAlike(t *testing.T) {
	protect := worktree.ProtectSpec{Paths: []string{"Tests", "**/a_test.sh"}}
	got, err := alike([]string{"Tests/x", "tests/x", "sub/A_TEST.sh", "sub/a_test.sh", "te\u200csts/y", "other"}, protect)
	if err != nil || len(got) != 3 || !got["tests/x"] || !got["sub/A_TEST.sh"] || !got["te\u200csts/y"] {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestHeadsOfCommands(t *testing.T) {
	all := heads([]string{"CGO_ENABLED=0 go test ./... && ! grep -q x f; (make a|./tee)", "if env A=1 pytest; then exec true; fi"})
	for _, want := range []string{"go", "grep", "make", "pytest", "true"} {
		if !all[want] {
			t.Errorf("'%s' is not among %v", want, all)
		}
	}
	for _, not := range []string{"test", "./tee", "tee", "a", "x"} {
		if all[not] {
			t.Errorf("'%s' is among %v", not, all)
		}
	}
	if h := governs("go.exe", map[string]bool{}, all); h == nil {
		t.Error("go.exe is not seen")
	}
	if h := governs("cmd/go", map[string]bool{}, all); h != nil {
		t.Error("cmd/go is taken for the command")
	}
}

func TestCommandsOfAGoal(t *testing.T) {
	g := document.Goal{Checks: []document.Check{{Text: "a", Command: "make"}, {Text: "b"}, {Text: "c", Command: "go", Unverifiable: "no"}}}
	if got := commandsOf(g); !slices.Equal(got, []string{"make"}) {
		t.Errorf("got %v", got)
	}
}
