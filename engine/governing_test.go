package engine

import (
	"strings"
	"testing"
)

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
				words := map[string]bool{program: true}
				if len(g.with) > 0 {
					words[g.with[0]] = true
				}
				for _, path := range []string{name, "deep/er/" + name, strings.ToUpper(name), strings.Replace(name, "e", "\u200ce", 1)} {
					h := governs(path, words, nil)
					if h == nil || h[0].program != program {
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

// What git ignores decides about commands that look for what is not tracked only.
func TestIgnoredFilesCountForSome(t *testing.T) {
	for _, command := range []string{"git diff --check", "git log -1", "make test", "systemctl status"} {
		words := map[string]bool{}
		for _, word := range wordsOf([]string{command}, map[string]bool{}) {
			addPrograms(words, word)
		}
		if h := governs(".gitignore", words, heads([]string{command})); h != nil {
			t.Errorf("'.gitignore' governs '%s'", command)
		}
	}
}
