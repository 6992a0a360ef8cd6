package governing

import (
	"slices"
	"testing"

	"git-flower/worktree"
)

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
		{"pytest && ruff check", "pyproject.toml", "", "[tool.ruff]\nexclude=['*']\n", true}, // two programs, a part each
		{"uv run ruff check", "pyproject.toml", "", "[tool.ruff]\nexclude=['*']\n", true},
		{"uv run ruff check", "pyproject.toml", "[project]\n", "[project]\nname='x'\n", false},
		{"flake8", "setup.cfg", "[metadata]\n", "[metadata]\n[flake8]\nexclude=*\n", true},
		{"pytest && mypy .", "setup.cfg", "[metadata]\n", "[metadata]\n[mypy]\nignore_errors=1\n", true},
		{"mypy .", "setup.cfg", "[metadata]\n", "[metadata]\nname=x\n", false},
		{"make", "Makefile", "a:\n", "a:\n\ttrue\n", true},
		{"make", "Makefile", "a:\n", "a:\n", false},
	} {
		run := reading(t, c.command)
		all := run.Governed(c.path)
		before, after := versionsOf(c.path, c.before), versionsOf(c.path, c.after)
		if got := slices.ContainsFunc(all, func(h Hit) bool { return run.Counts(h, c.path, before, after) }); got != c.counts {
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
	npm := programs("npm")
	h := npm.Governed("package.json")[0]
	link := map[string]worktree.File{"package.json": {ID: "120000 abc"}}
	plain := versionsOf("package.json", "{}")
	if !npm.Counts(h, "package.json", plain, link) || !npm.Counts(h, "package.json", nil, link) || npm.Counts(h, "package.json", link, link) {
		t.Error("a link in place of package.json is not seen for what it is")
	}
}
