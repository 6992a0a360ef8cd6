package economy

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"git-flower/engine/rawjson"
)

// scripts counts how the scripts of a run's bench are written and run. A bench
// lies elsewhere on each machine, so a path belongs to it when it ends in
// bench/<run>/scripts/<name>.
type scripts struct {
	inside string
	each   map[string]*Script
}

func newScripts(run string) scripts {
	return scripts{inside: "/bench/" + run + "/scripts/", each: map[string]*Script{}}
}

// made counts a call that was made.
func (s scripts) made(call block) {
	switch call.Name {
	case "Write", "Edit", "MultiEdit":
		if name, ok := s.name("/", rawjson.Text(rawjson.Value(call.Input, "file_path"))); ok {
			s.script(name).Written++
		}
	case "Bash":
		s.command(rawjson.Text(rawjson.Value(call.Input, "command")))
	}
}

func (s scripts) script(name string) *Script {
	if s.each[name] == nil {
		s.each[name] = &Script{Name: name}
	}
	return s.each[name]
}

// name is what a path is called below the bench's scripts.
func (s scripts) name(dir, file string) (string, bool) {
	if file == "" {
		return "", false
	}
	if !path.IsAbs(file) {
		file = path.Join(dir, file)
	}
	_, name, ok := strings.Cut(path.Clean(file), s.inside)
	return name, ok && name != ""
}

// command counts what a command runs and writes. What does not parse is left out.
func (s scripts) command(text string) {
	if !strings.Contains(text, "scripts") {
		return
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		return
	}
	dir := "/"
	values := map[string]string{}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Redirect:
			if n.Op == syntax.RdrOut || n.Op == syntax.AppOut || n.Op == syntax.RdrClob || n.Op == syntax.RdrAll || n.Op == syntax.AppAll {
				if name, ok := s.name(dir, plain(n.Word, values)); ok {
					s.script(name).Written++
				}
			}
		case *syntax.CallExpr:
			remember(n, values)
			dir = s.call(n, dir, values)
		}
		return true
	})
}

// remember takes down what a command assigns, so that a bench in a variable is
// found.
func remember(c *syntax.CallExpr, values map[string]string) {
	for _, a := range c.Assigns {
		if a.Name != nil && a.Value != nil && len(c.Args) == 0 {
			values[a.Name.Value] = plain(a.Value, values)
		}
	}
}

// call counts the script that a simple command runs, and returns the directory
// for those after it.
func (s scripts) call(c *syntax.CallExpr, dir string, values map[string]string) string {
	words := make([]string, len(c.Args))
	for i, w := range c.Args {
		words[i] = plain(w, values)
	}
	if len(words) == 2 && words[0] == "cd" && words[1] != "" {
		if path.IsAbs(words[1]) {
			return path.Clean(words[1])
		}
		return path.Join(dir, words[1])
	}
	if name, ok := s.name(dir, program(words)); ok {
		s.script(name).Runs++
	}
	return dir
}

// A runner runs the file that its first argument names, after options of its own.
type runner struct {
	takes, code, file []string // options with a value; that say what to run instead; before the file
	assigns           bool     // NAME=value may stand before it
	skip              int      // words before it
}

func runners(name string) (runner, bool) {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh":
		return runner{takes: []string{"-o", "-O"}, code: []string{"-c"}}, true
	case "python", "python3":
		return runner{takes: []string{"-W", "-X"}, code: []string{"-c", "-m"}}, true
	case "node", "deno", "bun":
		return runner{takes: []string{"-r", "--require"}, code: []string{"-e", "-p"}}, true
	case "perl", "ruby", "php", "lua":
		return runner{takes: []string{"-I"}, code: []string{"-e", "-E", "-r"}}, true
	case "awk", "sed":
		return runner{file: []string{"-f"}}, true
	case "source", ".", "time", "nohup", "exec", "command", "setsid":
		return runner{}, true
	case "env":
		return runner{takes: []string{"-u", "-C"}, assigns: true}, true
	case "nice", "stdbuf":
		return runner{takes: []string{"-n", "-i", "-o", "-e"}}, true
	case "timeout":
		return runner{takes: []string{"-k", "-s"}, skip: 1}, true
	}
	return runner{}, false
}

// program is the file that a command's words run, seen through interpreters and
// wrappers; "" for none.
func program(words []string) string {
	for len(words) > 0 {
		r, known := runners(path.Base(words[0]))
		if !known {
			return words[0]
		}
		words = r.after(words[1:])
	}
	return ""
}

// after are a runner's words from the file on.
func (r runner) after(words []string) []string {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		option := words[0]
		words = words[1:]
		switch {
		case slices.Contains(r.code, option):
			return nil
		case option == "--", slices.Contains(r.file, option):
			return words
		case slices.Contains(r.takes, option) && len(words) > 0:
			words = words[1:]
		}
	}
	for r.assigns && len(words) > 0 && strings.Contains(words[0], "=") {
		words = words[1:]
	}
	return words[min(r.skip, len(words)):]
}

// plain is a word without its quotes, variables filled in as far as the command
// itself has set them; "" for what only the shell can tell.
func plain(w *syntax.Word, values map[string]string) string {
	if w == nil {
		return ""
	}
	text, ok := parts(w.Parts, values)
	if !ok {
		return ""
	}
	return text
}

func parts(all []syntax.WordPart, values map[string]string) (string, bool) {
	var b strings.Builder
	for _, p := range all {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			inner, ok := parts(p.Parts, values)
			if !ok {
				return "", false
			}
			b.WriteString(inner)
		case *syntax.ParamExp:
			value, ok := values[p.Param.Value]
			if !ok || p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Length || p.Excl || p.Index != nil {
				return "", false
			}
			b.WriteString(value)
		default:
			return "", false
		}
	}
	return b.String(), true
}

func (s scripts) report() *Scripts {
	r := &Scripts{Each: []Script{}}
	for _, name := range slices.Sorted(maps.Keys(s.each)) {
		one := *s.each[name]
		r.Each = append(r.Each, one)
		r.Written += one.Written
		r.Runs += one.Runs
		switch {
		case one.Runs == 0:
			r.Idle++
		case one.Runs > 1:
			r.Again++
		}
	}
	return r
}
