package governing

import (
	"strings"
	"testing"

	"git-flower/worktree"
)

// programs are commands that run these.
func programs(names ...string) Commands {
	c := Commands{words: map[string]bool{}}
	for _, name := range names {
		c.words[name] = true
	}
	return c
}

// reading is what a command tells where there are no scripts.
func reading(t *testing.T, command string) Commands {
	t.Helper()
	c, err := Read([]string{command}, func([]string) (map[string]worktree.File, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	return c
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
				c := programs(program)
				if len(g.with) > 0 {
					c.words[g.with[0]] = true
				}
				for _, path := range []string{name, "deep/er/" + name, strings.ToUpper(name), strings.Replace(name, "e", "\u200ce", 1)} {
					h := c.Governed(path)
					if h == nil || h[0].Program != program {
						t.Errorf("'%s' does not govern '%s'", path, program)
					}
				}
			}
			for _, path := range []string{name, "x" + name} {
				if h := programs("true", "test").Governed(path); h != nil {
					t.Errorf("'%s' governs %v", path, h)
				}
			}
			if folder, _, in := strings.Cut(pattern, "/"); in && programs(g.read[0]).Governed("sub/"+folder) == nil {
				t.Errorf("a link in place of '%s' does not govern '%s'", folder, g.read[0])
			}
		}
	}
}

// The table has what common commands are shadowed with. A row that is lost is
// seen here only.
func TestCommonShadows(t *testing.T) {
	for command, paths := range map[string]string{
		"make check":                            "GNUmakefile makefile Makefile rules.mk .env",
		"go test ./...":                         "go.work vendor/modules.txt vendor/x/y.go go x_test.go",
		"python3 -m pytest":                     "conftest.py pytest.ini tox.ini setup.cfg sitecustomize.py .env pytest.py pytest/__main__.py pyproject.toml",
		"npm test":                              "package.json .npmrc jest.config.js jest.config.ts .env node_modules/.bin/jest .mocharc.json vitest.config.ts npm",
		"cargo test":                            ".cargo/config.toml .cargo build.rs Cargo.toml rust-toolchain.toml",
		"git diff --check":                      ".gitattributes .gitmodules",
		"test -z \"$(git status --porcelain)\"": ".gitignore sub/.gitignore .gitattributes",
		"git add -A && git diff --cached --exit-code": ".gitignore",
		"! rg -q FIXME":            ".gitignore .ignore .rgignore",
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
		run := reading(t, command)
		for path := range strings.FieldsSeq(paths) {
			if run.Governed(path) == nil {
				t.Errorf("'%s' does not govern '%s'", path, command)
			}
		}
		for _, path := range []string{"main.go", "README.md", "src/lib.rs", "tests/data.json", "index.js", "docs/make.md", ".env.example", "a.py", "LICENSE"} {
			if h := run.Governed(path); h != nil {
				t.Errorf("'%s' governs '%s': %v", path, command, h)
			}
		}
	}
}

// What git ignores decides about commands that look for what is not tracked only.
func TestIgnoredFilesCountForSome(t *testing.T) {
	for _, command := range []string{"git diff --check", "git log -1", "make test", "systemctl status"} {
		run := reading(t, command)
		if h := run.Governed(".gitignore"); h != nil {
			t.Errorf("'.gitignore' governs '%s'", command)
		}
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
	if h := (Commands{heads: all}).Governed("go.exe"); h == nil {
		t.Error("go.exe is not seen")
	}
	if h := (Commands{heads: all}).Governed("cmd/go"); h != nil {
		t.Error("cmd/go is taken for the command")
	}
}
