package plugin

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

const maxSkills = 64

// A Skill is something that a worker can read up on when its task calls for it.
type Skill struct {
	Name        string
	Description string // what it is for and when; one line
	Body        string
	Files       map[string][]byte // further files, relative to the skill's folder
}

// Dir is a skill's folder within its pack.
func (s Skill) Dir() string { return "skills/" + s.Name }

const skillFile = "SKILL.md"

// skills are those that can be used.
func (f *Files) skills() []Skill {
	var all []Skill
	for _, dir := range f.folders("skills") {
		if len(all) == maxSkills {
			f.problem("skills/"+dir, 0, "not loaded: there are %d skills already, and there may be no more", maxSkills)
			break
		}
		if s, ok := f.skill(dir); ok {
			all = append(all, s)
		}
	}
	return all
}

// folders are the names of the folders in a folder, in order; files in it are told.
func (f *Files) folders(in string) []string {
	var all []string
	for _, name := range f.below(in) {
		dir, _, deeper := strings.Cut(strings.TrimPrefix(name, in+"/"), "/")
		switch {
		case !deeper:
			f.problem(name, 0, "left out: %s/ holds folders", in)
		case len(all) == 0 || all[len(all)-1] != dir:
			all = append(all, dir)
		}
	}
	return all
}

func (f *Files) skill(dir string) (s Skill, ok bool) {
	file := path.Join("skills", dir, skillFile)
	if why := wrongIdentifier(dir); why != "" {
		f.problem("skills/"+dir, 0, "not loaded: the skill's name %s", why)
		return s, false
	}
	if _, there := f.data[file]; !there {
		f.problem("skills/"+dir, 0, "not loaded: it has no %s", skillFile)
		return s, false
	}
	h, body, ok := f.described(file)
	if !ok {
		return s, false
	}
	if h["disable-model-invocation"].text == "true" {
		f.problem(file, h["disable-model-invocation"].line, "not loaded: it is for people to call (disable-model-invocation)")
		return s, false
	}
	if name := h["name"]; name.text != "" && name.text != dir {
		f.problem(file, name.line, "it is called '%s', as its folder is, not '%s'", dir, cut(oneLine(name.text), maxName))
	}
	f.notHeld(file, h, "allowed-tools", "model", "effort", "context", "agent", "hooks", "paths", "shell")
	s = Skill{Name: dir, Description: description(h), Body: f.quiet(file, body)}
	s.Files = f.beside(dir)
	return s, true
}

// described reads a file of text that must have a description.
func (f *Files) described(file string) (h head, body string, ok bool) {
	text, changed, why := plain(f.data[file])
	if why != "" {
		f.problem(file, 0, "not loaded: %s", why)
		return nil, "", false
	}
	yamlText, body, bad := split(text)
	if bad == nil {
		h, bad = parseHead(yamlText)
	}
	if bad != nil {
		f.problem(file, bad.Line, "not loaded: %s", bad.What)
		return nil, "", false
	}
	if description(h) == "" {
		f.problem(file, h["description"].line, "not loaded: it has no description, by which it would be chosen")
		return nil, "", false
	}
	if changed {
		f.problem(file, 0, "invisible characters were taken out of it")
	}
	return h, strings.TrimSpace(body), true
}

// description is what a part is chosen by.
func description(h head) string {
	words := h["description"].text
	if when := h["when_to_use"].text; when != "" {
		words += " " + when
	}
	return cut(oneLine(words), maxDescription)
}

// notHeld tells of fields that have no effect here.
func (f *Files) notHeld(file string, h head, names ...string) {
	for _, name := range names {
		if v, ok := h[name]; ok && v.kind != null {
			f.problem(file, v.line, "'%s' has no effect here", name)
		}
	}
}

// quiet takes from a text the marks by which Claude Code runs commands in it
// when it is read: the commands stay as text.
func (f *Files) quiet(file, body string) string {
	text := inlineMarks.ReplaceAllString(body, "`")
	text = blockMarks.ReplaceAllString(text, "```")
	if text != body {
		f.problem(file, 0, "the commands in it (!`…`) are not run")
	}
	return text
}

// Marks are taken away with all before or behind them that would be marks then.
var (
	inlineMarks = regexp.MustCompile("!+`")
	blockMarks  = regexp.MustCompile("```!+")
)

// beside are a skill's further files. What Claude Code might take for more than a
// file is not among them.
func (f *Files) beside(dir string) map[string][]byte {
	files := map[string][]byte{}
	folder := "skills/" + dir + "/"
	for _, name := range f.below("skills/" + dir) {
		rest := strings.TrimPrefix(name, folder)
		if rest == skillFile {
			continue
		}
		if why := active(rest); why != "" {
			f.problem(name, 0, "left out: %s", why)
			continue
		}
		files[rest] = f.data[name]
	}
	return files
}

// active says why a file beside a skill could be more than that.
func active(name string) string {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return "names that begin with a dot are not taken"
		}
	}
	if base := path.Base(name); strings.EqualFold(base, skillFile) || strings.EqualFold(base, "CLAUDE.md") {
		return fmt.Sprintf("a second %s is not taken", base)
	}
	return ""
}
