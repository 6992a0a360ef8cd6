package guards

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A fileTool says which of a tool's inputs are paths.
type fileTool struct {
	path     string // key of the path
	optional bool   // without it the call's directory counts
	pattern  string // key of a glob below that path, if any
	writes   bool
}

var fileTools = map[string]fileTool{
	"Read":         {path: "file_path"},
	"Write":        {path: "file_path", writes: true},
	"Edit":         {path: "file_path", writes: true},
	"MultiEdit":    {path: "file_path", writes: true},
	"NotebookEdit": {path: "notebook_path", writes: true},
	"NotebookRead": {path: "notebook_path"},
	"LS":           {path: "path"},
	"Glob":         {path: "path", optional: true, pattern: "pattern"},
	"Grep":         {path: "path", optional: true, pattern: "glob"},
}

func inside(p Policy, c Call) Decision {
	tool, ok := fileTools[c.Tool]
	if !ok {
		return Allow()
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(c.Input, &fields) != nil {
		return Deny(fmt.Sprintf("%s needs an object as its input", c.Tool))
	}
	path, reason := target(c, tool, fields)
	if reason != "" {
		return Deny(reason)
	}
	roots := p.Roots
	if !tool.writes {
		roots = slices.Concat(p.Roots, p.Readable)
	}
	if !within(path, roots) {
		return Deny(outside(path, roots))
	}
	if Secret(path) {
		return Deny(secretReason(path))
	}
	return Allow()
}

// target is the absolute path that a call is about, or the reason why there is none.
func target(c Call, tool fileTool, fields map[string]json.RawMessage) (path, reason string) {
	path, ok := field(fields, tool.path)
	if !ok || path == "" && !tool.optional {
		return "", fmt.Sprintf("%s needs '%s', a path", c.Tool, tool.path)
	}
	if strings.ContainsRune(path, 0) {
		return "", "a path cannot hold a NUL character"
	}
	if strings.HasPrefix(path, "~") {
		return "", fmt.Sprintf("write '%s' out: '~' is not expanded here", path)
	}
	if !filepath.IsAbs(path) {
		if !filepath.IsAbs(c.Dir) {
			return "", "give an absolute path"
		}
		path = filepath.Join(c.Dir, path)
	}
	path = filepath.Clean(path)
	if tool.pattern == "" {
		return path, ""
	}
	pattern, ok := field(fields, tool.pattern)
	if !ok {
		return "", fmt.Sprintf("%s needs '%s' to be a string", c.Tool, tool.pattern)
	}
	return below(path, pattern)
}

// field is a string among the fields, empty when it is not there.
func field(fields map[string]json.RawMessage, key string) (string, bool) {
	raw, given := fields[key]
	if !given || string(raw) == "null" {
		return "", true
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

// below is where the matches of a glob lie. A glob that climbs could match
// anywhere, whatever its beginning says.
func below(path, pattern string) (string, string) {
	parts := strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune(`/\{},`, r) })
	if slices.Contains(parts, "..") {
		return "", "a pattern cannot climb with '..': give the directory as the path"
	}
	if slices.ContainsFunc(parts, Secret) {
		return "", secretReason(pattern)
	}
	if strings.Contains(pattern, `\/`) {
		return "", "a pattern cannot escape '/'"
	}
	fixed := pattern
	if i := strings.IndexAny(pattern, `*?[{\`); i >= 0 {
		fixed = pattern[:i]
	}
	switch {
	case filepath.IsAbs(fixed):
		return filepath.Dir(fixed + "x"), ""
	case strings.HasPrefix(pattern, "{") && strings.Contains(pattern, "{/"), strings.Contains(pattern, ",/"):
		return "", "give the directory as the path, and a pattern relative to it"
	}
	return path, ""
}

func within(path string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		if !filepath.IsAbs(root) {
			return false
		}
		rel, err := filepath.Rel(filepath.Clean(root), path)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	})
}

func outside(path string, roots []string) string {
	if len(roots) == 0 {
		return "files are not open to this role"
	}
	return fmt.Sprintf("'%s' is outside; stay below '%s'", path, strings.Join(roots, "', '"))
}
