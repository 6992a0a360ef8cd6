package governing

// A governor is a row of the table of files that decide what a command runs, and
// whether it fails, without being named in it.
type governor struct {
	// names are patterns as in path.Match, in lower case. One part: a file of that
	// name in any folder. Several: the path ends in them. A slash at the end: all
	// below a folder of that name.
	names []string
	// read are the programs that read such a file, in lower case.
	read []string
	// with are words of which one must be among the commands' too. None: any will do.
	with []string
	// part picks what counts of a file that ordinary work changes too. Nil: all of it.
	part picker
}

// A picker picks what counts of a file's text. words are those that the checks'
// commands come to run, in lower case.
type picker func(text string, words map[string]bool) string

// What programs of one kind are called by.
var (
	makes    = []string{"make", "gmake", "bmake"}
	gos      = []string{"go", "gotestsum", "ginkgo", "gotip"}
	pythons  = []string{"python", "pytest", "py.test", "unittest", "tox", "nox", "poetry", "uv", "uvx", "hatch", "pdm", "pipenv", "coverage", "pypy", "py"}
	nodes    = []string{"npm", "npx", "pnpm", "yarn", "bun", "bunx", "node", "nodejs", "deno", "corepack", "jest", "vitest", "mocha", "ava", "tap", "karma", "playwright", "cypress", "tsc", "tsx", "ts-node", "eslint", "nx", "turbo"}
	cargos   = []string{"cargo", "rustc", "rustup", "cross"}
	javas    = []string{"mvn", "mvnw", "mvnd", "gradle", "gradlew", "ant", "sbt", "java"}
	rubies   = []string{"ruby", "rake", "rspec", "bundle", "rails", "minitest", "cucumber"}
	phps     = []string{"php", "phpunit", "composer", "pest", "paratest"}
	dotnets  = []string{"dotnet", "msbuild", "nuget"}
	cmakes   = []string{"cmake", "ctest"}
	composes = []string{"docker", "docker-compose", "podman", "podman-compose"}
)

// governors are in no order; of a path that fits several rows, what any of them
// picks counts. The sources are the manuals of the programs, where they say which
// files they look for. What git reads of its own directory (info/exclude,
// info/attributes) is in no commit: a tree for checks has the user's.
var governors = [...]governor{
	{names: []string{"gnumakefile", "makefile", "bsdmakefile", "*.mk", ".makerc"}, read: makes},
	{names: []string{"justfile", ".justfile", "*.just"}, read: []string{"just"}},
	{names: []string{"taskfile.yml", "taskfile.yaml", "taskfile.dist.yml", "taskfile.dist.yaml"}, read: []string{"task", "go-task"}},
	{names: []string{"build.ninja"}, read: []string{"ninja", "samu"}},
	{names: []string{".bazelrc", "workspace", "workspace.bazel", "module.bazel"}, read: []string{"bazel", "bazelisk"}},

	{names: []string{"go.work", "go.env", "vendor/"}, read: gos},
	{names: []string{"go.mod"}, read: gos, part: linesWith(`^\s*(replace|toolchain|ignore|godebug)\b|=>`)},
	{names: []string{"*_test.go"}, read: gos, part: goStarts},
	{names: []string{".golangci.y*ml", ".golangci.toml", ".golangci.json"}, read: []string{"golangci-lint"}},
	{names: []string{"staticcheck.conf"}, read: []string{"staticcheck", "golangci-lint"}},

	{names: []string{"conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "tox.toml", "noxfile.py", ".coveragerc", "sitecustomize.py", "usercustomize.py",
		"*.pth", "pyvenv.cfg", "pytest.py", "pytest/", "_pytest/", "unittest.py", "unittest/", "pluggy.py", "pluggy/", "coverage.py", "uv.toml"}, read: pythons},
	{names: []string{"pyproject.toml"}, read: pythons, part: sections(`^(tool\.(pytest|coverage|tox|hatch|pdm\.scripts|poe|taskipy|uv)|build-system|project\.entry-points)`)},
	{names: []string{"setup.cfg"}, read: pythons, part: sections(`^(tool:pytest|pytest|coverage:|tox|options\.entry_points)`)},
	{names: []string{"ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini", ".flake8", ".pylintrc", "pylintrc"}, read: []string{"ruff", "mypy", "flake8", "pylint"}},
	{names: []string{"pyproject.toml"}, read: []string{"ruff", "mypy", "pylint", "black"}, part: sections(`^tool\.(ruff|mypy|pylint|black)`)},
	{names: []string{"setup.cfg", "tox.ini"}, read: []string{"flake8", "mypy", "pylint"}, part: sections(`^(flake8|mypy|pylint)`)},

	{names: []string{"package.json", "deno.json", "deno.jsonc"}, read: nodes, part: packageRuns},
	{names: []string{".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/", ".pnpmfile.cjs", "pnpmfile.cjs", ".pnp.*", "node_modules/", "bunfig.toml", "jest.config.*", "jest.setup.*", "vitest.config.*",
		"vitest.workspace.*", "vite.config.*", ".mocharc.*", "mocha.opts", "ava.config.*", ".taprc", "karma.conf.*", "playwright.config.*", "cypress.config.*", "cypress.json", "babel.config.*",
		".babelrc", ".babelrc.*", ".swcrc", ".nycrc", ".nycrc.*", "tsconfig.json", "tsconfig.*.json", ".eslintrc", ".eslintrc.*", "eslint.config.*", ".eslintignore", "nx.json", "turbo.json"}, read: nodes},

	{names: []string{".cargo/config", ".cargo/config.toml", "build.rs", "rust-toolchain", "rust-toolchain.toml", ".config/nextest.toml", "clippy.toml", ".clippy.toml"}, read: cargos},
	{names: []string{"cargo.toml"}, read: cargos,
		part: both(sections(`^(lib|test|bench|patch|replace|profile\.(test|dev)|workspace$|lints)`), linesWith(`^\s*(autotests|autobins|build|default-run|harness|test|doctest)\s*=`))},

	{names: []string{".mvn/", "mvnw", "mvnw.cmd", "gradlew", "gradlew.bat", "gradle/wrapper/", "gradle.properties", "settings.gradle", "settings.gradle.kts", "init.gradle",
		"junit-platform.properties", ".sbtopts", ".jvmopts", "testng.xml"}, read: javas},
	{names: []string{"build.gradle", "build.gradle.kts", "build.xml", "build.sbt"}, read: javas, part: linesWith(`(?i)test|ignorefailures|failonerror|onlyif|enabled|dofirst|dolast|\bexec\b|apply`)},
	{names: []string{"pom.xml"}, read: javas, part: linesWith(`(?i)skip|testfailureignore|surefire|failsafe|<exclude|<include|<phase|<goal|exec-maven|antrun|<parent|<module`)},

	{names: []string{"rakefile", "rakefile.rb", "*.rake", ".rspec", "spec_helper.rb", "rails_helper.rb", "test_helper.rb", ".bundle/", ".rubyopt", "cucumber.yml"}, read: rubies},
	{names: []string{"phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml", "pest.php", "php.ini", ".user.ini"}, read: phps},
	{names: []string{"composer.json"}, read: phps, part: keys("scripts", "autoload", "autoload-dev", "config", "bin")},
	{names: []string{"directory.build.*", "directory.packages.props", "*.runsettings", "global.json", "nuget.config", "xunit.runner.json"}, read: dotnets},
	{names: []string{"test_helper.exs", ".iex.exs"}, read: []string{"mix", "elixir"}},
	{names: []string{"mix.exs"}, read: []string{"mix"}, part: linesWith(`alias|test|elixirc_paths`)},

	{names: []string{"cmakepresets.json", "cmakeuserpresets.json", "ctestcustom.*", "ctesttestfile.cmake", "ctestconfig.cmake"}, read: cmakes},
	{names: []string{"cmakelists.txt", "*.cmake"}, read: cmakes, part: linesWith(`(?i)test|will_fail|add_custom|execute_process`)},
	{names: []string{"meson.build"}, read: []string{"meson"}, part: linesWith(`test\s*\(|benchmark\s*\(|run_command|should_fail`)},

	{names: []string{"docker-compose*.y*ml", "compose*.y*ml", ".dockerignore"}, read: composes},
	{names: []string{"setup_suite.bash", "bats/"}, read: []string{"bats"}},
	{names: []string{".shellcheckrc", "shellcheckrc"}, read: []string{"shellcheck"}},
	{names: []string{".pre-commit-config.y*ml"}, read: []string{"pre-commit"}},
	{names: []string{".gitattributes", ".gitmodules"}, read: []string{"git"}},
	{names: []string{".gitignore"}, read: []string{"git"}, with: []string{"status", "ls-files", "add", "clean", "check-ignore", "stash", "--no-index", "--untracked"}},
	{names: []string{".gitignore", ".ignore", ".rgignore", ".fdignore"}, read: []string{"rg", "ag", "fd", "fdfind"}},
	{names: []string{".prettierrc", ".prettierrc.*", ".prettierignore", ".gitignore"}, read: []string{"prettier"}},

	// Read by many programs that run others, and by what the code under test loads.
	{names: []string{".env", ".env.local", ".env.test", ".env.test.local", ".env.ci", ".env.development", ".env.production", ".envrc", ".tool-versions", "mise.toml", ".mise.toml"},
		read: everyOf(makes, pythons, nodes, composes, phps, rubies, []string{"just", "task", "direnv", "mise", "asdf", "foreman", "honcho", "dotenv"})},
}

// runners name the files in which it stands what a program runs in turn. They
// are read at the base, for the programs that they name.
var runners = [...]string{"GNUmakefile", "makefile", "Makefile", "justfile", "Justfile", "Taskfile.yml", "Taskfile.yaml", "package.json", "tox.ini", "noxfile.py", "Rakefile", "composer.json"}

func everyOf(lists ...[]string) []string {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}
