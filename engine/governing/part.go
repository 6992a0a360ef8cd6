package governing

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// linesWith picks the lines that a pattern finds something in.
func linesWith(pattern string) picker {
	compiled := lazily(pattern)
	return func(text string, _ map[string]bool) string {
		re := compiled()
		var b strings.Builder
		for line := range strings.Lines(text) {
			if re.MatchString(line) {
				b.WriteString(strings.TrimSpace(line) + "\n")
			}
		}
		return b.String()
	}
}

// lazily compiles a pattern when it is first needed: most runs need none.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// sections picks what stands below the headers, as TOML and INI have them, that a
// pattern fits.
func sections(pattern string) picker {
	compiled, header := lazily(pattern), lazily(`^\s*\[+\s*(.+?)\s*\]+\s*([#;].*)?$`)
	return func(text string, _ map[string]bool) string {
		re, header := compiled(), header()
		var b strings.Builder
		in := false
		for line := range strings.Lines(text) {
			if m := header.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
				in = re.MatchString(strings.NewReplacer(`"`, "", "'", "", " ", "").Replace(m[1]))
			}
			if line = strings.TrimSpace(line); in && line != "" {
				b.WriteString(line + "\n")
			}
		}
		return b.String()
	}
}

// both picks what two pick.
func both(a, b picker) picker {
	return func(text string, words map[string]bool) string { return a(text, words) + "\n" + b(text, words) }
}

// keys picks members of a JSON object. What is no object counts whole.
func keys(names ...string) picker {
	return func(text string, _ map[string]bool) string {
		all, ok := object(text)
		if !ok {
			return text
		}
		maps.DeleteFunc(all, func(name string, _ any) bool { return !slices.Contains(names, name) })
		return printed(all)
	}
}

var packageKeys = keys("jest", "mocha", "ava", "tap", "nyc", "c8", "babel", "eslintConfig", "imports", "overrides", "resolutions", "importMap", "test")

// packageRuns picks what a package.json says about tests, and of its scripts those
// that are run: another one is work like any other.
func packageRuns(text string, words map[string]bool) string {
	all, ok := object(text)
	if !ok {
		return text
	}
	picked := map[string]any{}
	for _, kind := range [...]string{"scripts", "tasks"} {
		run, ok := all[kind].(map[string]any)
		if !ok && all[kind] != nil {
			return text
		}
		for name, script := range run {
			if isRun(name, words) {
				picked[kind+" "+name] = script
			}
		}
	}
	return packageKeys(text, words) + printed(picked)
}

// unasked are scripts that run without being named.
var unasked = [...]string{"install", "test", "prepare", "prepublish", "env"}

func isRun(script string, words map[string]bool) bool {
	script = strings.ToLower(script)
	for _, name := range [...]string{script, strings.TrimPrefix(script, "pre"), strings.TrimPrefix(script, "post")} {
		parts := wordsOf([]string{name}, map[string]bool{})
		if slices.Contains(unasked[:], name) || !slices.ContainsFunc(parts, func(p string) bool { return !words[path.Base(p)] }) {
			return true
		}
	}
	return false
}

func object(text string) (all map[string]any, ok bool) {
	err := json.Unmarshal([]byte(text), &all)
	return all, err == nil
}

// printed is an object as text, the same for the same: keys are sorted.
func printed(all map[string]any) string {
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprint(all)
}

// goStarts picks the declarations of a Go test file that run before every test of
// the package, and those that can end it: TestMain, init, and what names Exit. A
// file that does not parse counts whole.
func goStarts(text string, _ map[string]bool) string {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return text
	}
	var b strings.Builder
	for _, d := range f.Decls {
		if starts(d) {
			b.WriteString(text[set.PositionFor(d.Pos(), false).Offset:set.PositionFor(d.End(), false).Offset] + "\n")
		}
	}
	return b.String()
}

func starts(d ast.Decl) bool {
	if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && (f.Name.Name == "TestMain" || f.Name.Name == "init") {
		return true
	}
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		found = found || ok && name.Name == "Exit"
		return !found
	})
	return found
}
