package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// ManifestFile makes a folder a pack.
const ManifestFile = ".claude-plugin/plugin.json"

// A Pack is what of a pack can be used, and the names of what cannot.
type Pack struct {
	Name        string
	Version     string // empty: it has none
	Description string
	Skills      []Skill // by name
	Agents      []Agent // by name

	// Recognised and never run: events that the pack has hooks for, names of its
	// MCP servers, and what else Claude Code would load ("commands", "programs").
	Hooks      []string
	MCPServers []string
	Unused     []string

	Problems []Problem
}

// maxManifest is the size of a file of JSON, in bytes.
const maxManifest = 64 << 10

// Load makes a pack of its files. The error is a Problem with plugin.json,
// without which there is no pack.
func Load(f *Files) (*Pack, error) {
	own := &Files{data: f.data, folded: f.folded, problems: slices.Clone(f.problems)}
	p := &Pack{}
	fields, err := own.manifest(p)
	if err != nil {
		return nil, err
	}
	p.Skills = own.skills()
	p.Agents = own.agents()
	own.inert(p, fields)
	p.Problems = own.problems
	return p, nil
}

// manifest reads plugin.json.
func (f *Files) manifest(p *Pack) (map[string]json.RawMessage, error) {
	fields, err := f.object(ManifestFile)
	if err != nil {
		return nil, err
	}
	text := func(key string, limit int) string {
		var s string
		if raw, ok := fields[key]; ok && json.Unmarshal(raw, &s) != nil {
			f.problem(ManifestFile, 0, "'%s' is no text", key)
		}
		return cut(oneLine(s), limit)
	}
	p.Name, p.Version, p.Description = text("name", maxName+1), text("version", 40), text("description", maxDescription)
	if why := wrongIdentifier(p.Name); why != "" {
		return nil, Problem{File: ManifestFile, What: "the pack's name " + why}
	}
	for _, key := range []string{"skills", "agents"} {
		if _, ok := fields[key]; ok {
			f.problem(ManifestFile, 0, "'%s' names other places, which are not read: put them into %s/", key, key)
		}
	}
	return fields, nil
}

// object reads a file that holds a JSON object.
func (f *Files) object(name string) (map[string]json.RawMessage, error) {
	data, ok := f.data[name]
	switch {
	case !ok:
		return nil, Problem{File: name, What: "there is none"}
	case len(data) > maxManifest:
		return nil, Problem{File: name, What: fmt.Sprintf("it has %d bytes, and may have %d", len(data), maxManifest)}
	}
	data = []byte(strings.TrimPrefix(string(data), bom))
	var fields map[string]json.RawMessage
	err := json.Unmarshal(data, &fields)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		at := min(len(data), max(0, int(syntax.Offset)))
		return nil, Problem{File: name, Line: 1 + strings.Count(string(data[:at]), "\n"), What: "it is no JSON: " + printable(err.Error())}
	case err != nil || fields == nil:
		return nil, Problem{File: name, What: "it is no JSON object"}
	}
	return fields, nil
}

// inert names what is not used.
func (f *Files) inert(p *Pack, manifest map[string]json.RawMessage) {
	p.Hooks = f.keys("hooks/hooks.json", "hooks", manifest["hooks"])
	p.MCPServers = f.keys(".mcp.json", "mcpServers", manifest["mcpServers"])
	for _, part := range unused {
		_, named := manifest[part.key]
		_, there := f.data[part.at]
		if named && part.key != "" || there || len(f.below(part.at)) > 0 {
			p.Unused = append(p.Unused, part.what)
		}
	}
}

// unused are further things that Claude Code loads from a plugin.
var unused = []struct{ at, key, what string }{
	{"commands", "commands", "commands"},
	{"bin", "", "programs (bin/)"},
	{"output-styles", "outputStyles", "output styles"},
	{".lsp.json", "lspServers", "LSP servers"},
	{"monitors", "monitors", "monitors"},
	{"themes", "themes", "themes"},
	{"workflows", "workflows", "workflows"},
	{"settings.json", "settings", "settings"},
	{"SKILL.md", "", "a SKILL.md beside skills/"},
}

// keys are the names in an object of a file, and of the manifest when that holds
// another one in place or beside it. A manifest may name other files, too.
func (f *Files) keys(file, field string, inline json.RawMessage) []string {
	found := map[string]bool{}
	if _, ok := f.data[file]; ok {
		f.addKeys(found, file, field)
	}
	var object map[string]json.RawMessage
	var one string
	var several []json.RawMessage
	switch {
	case inline == nil:
	case json.Unmarshal(inline, &object) == nil:
		collect(found, inside(object, field))
	case json.Unmarshal(inline, &one) == nil:
		f.addKeys(found, path.Clean(one), field)
	case json.Unmarshal(inline, &several) == nil:
		for _, raw := range several[:min(len(several), maxListed)] {
			for _, key := range f.keys("", field, raw) {
				found[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// addKeys names the file itself when it cannot be understood: something in it may
// have been meant to run.
func (f *Files) addKeys(found map[string]bool, file, field string) {
	object, err := f.object(file)
	if err != nil {
		found[printable(cut(file, maxPath))] = true
		f.problem(file, 0, "%s", strings.TrimPrefix(err.Error(), file+": "))
		return
	}
	collect(found, inside(object, field))
}

// inside is the object in a field of another one, which may stand for itself.
func inside(object map[string]json.RawMessage, field string) map[string]json.RawMessage {
	var inner map[string]json.RawMessage
	if raw, ok := object[field]; ok && json.Unmarshal(raw, &inner) == nil {
		return inner
	}
	return object
}

const maxListed = 50

func collect(found map[string]bool, object map[string]json.RawMessage) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if len(found) < maxListed {
			found[cut(oneLine(key), maxName)] = true
		}
	}
}
