package guards

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
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
		return Deny(needsObject(c.Tool))
	}
	path, reason := target(c, tool, fields)
	if reason != "" {
		return Deny(reason)
	}
	roots := p.Roots
	if !tool.writes {
		roots = slices.Concat(p.Roots, p.Readable)
	}
	if len(roots) == 0 {
		return Deny(closed(p, tool))
	}
	if p.Places == nil {
		return placed(p, path, roots, roots)
	}
	return looked(p, tool, path, roots)
}

// placed judges a path by its text. given are the roots as they are told.
func placed(p Policy, path string, roots, given []string) Decision {
	switch {
	case magic(path, roots):
		return Deny(fmt.Sprintf("'%s' is the system's own and no file to work with: use the file's own path", told(path)))
	case !within(path, roots):
		return Deny(outside(path, given))
	case p.closed(path, roots):
		return Deny(secretReason(short(path, roots)))
	}
	return Allow()
}

// looked judges a path by its text and by the place it leads to.
func looked(p Policy, tool fileTool, path string, roots []string) Decision {
	led := slices.Clone(roots)
	for i, root := range roots {
		if place, err := p.Places.Place(root); err == nil {
			led[i] = place.Path
		}
	}
	if d := placed(p, path, slices.Concat(roots, led), roots); !d.Allow {
		return d
	}
	place, err := p.Places.Place(path)
	if err != nil {
		return Deny(fmt.Sprintf("it cannot be told where '%s' leads (%s): give the path of the file itself, without links", told(path), told(err.Error())))
	}
	if place.Path != path {
		if d := placed(p, place.Path, led, roots); !d.Allow {
			return Deny(fmt.Sprintf("'%s' leads to '%s'. %s", told(path), told(place.Path), d.Reason))
		}
	}
	return usable(tool, path, place)
}

// usable judges what is at a place.
func usable(tool fileTool, path string, place Place) Decision {
	switch {
	case place.Kind == Special:
		return Deny(fmt.Sprintf("'%s' is a pipe, a socket or a device: only regular files are read and written here", told(path)))
	case place.Kind == Dangling && tool.writes:
		return Deny(fmt.Sprintf("'%s' is a link to nothing: write to the path you mean", told(path)))
	case place.Shared && tool.writes:
		return Deny(fmt.Sprintf("'%s' is one file under several names (hard links), and the others may lie outside: "+
			"make it a file of its own first, with cp to a new name and mv back", told(path)))
	}
	return Allow()
}

// target is the absolute path that a call is about, or the reason why there is none.
func target(c Call, tool fileTool, fields map[string]json.RawMessage) (path, reason string) {
	path, ok := field(fields, tool.path)
	if !ok || path == "" && !tool.optional {
		return "", fmt.Sprintf("%s needs '%s', one path as a string", c.Tool, tool.path)
	}
	if reason := oddForm(path); reason != "" {
		return "", reason
	}
	if !filepath.IsAbs(path) {
		if !filepath.IsAbs(c.Dir) {
			return "", "give the path from the root of the file system on"
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

// maxPath is longer than any path that a system takes.
const maxPath = 4096

// oddForm says why a text is not taken for a path here, whatever a system or a
// shell would make of it.
func oddForm(path string) string {
	switch {
	case len(path) > maxPath:
		return fmt.Sprintf("the path has %d bytes, more than any file's: give the path alone", len(path))
	case strings.IndexFunc(path, unicode.IsControl) >= 0:
		return "a path here has no control characters and no line ends: give one path in one line"
	case strings.HasPrefix(path, "~"):
		return fmt.Sprintf("'~' is not expanded here: write '%s' out", told(path))
	case strings.HasPrefix(path, `\\`), strings.HasPrefix(path, "//?/"), strings.HasPrefix(path, "//./"):
		return "network and device paths are not followed: give the file's path in the working directory"
	case filepath.Separator == '/' && drive(path):
		return fmt.Sprintf("'%s' is a path of another system: here paths look like /directory/file, or are relative to the working directory", told(path))
	}
	return ""
}

// drive tells whether a path begins as Windows' do, "C:\" or "C:/".
func drive(path string) bool {
	return len(path) >= 3 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') && unicode.IsLetter(rune(path[0]))
}

// below is where the matches of a glob lie. A glob that climbs could match
// anywhere, whatever its beginning says.
func below(path, pattern string) (string, string) {
	if len(pattern) > maxPath || strings.IndexFunc(pattern, unicode.IsControl) >= 0 {
		return "", "a pattern here is short and has no control characters: give one pattern in one line"
	}
	parts := strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune(`/\{},`, r) })
	if slices.Contains(parts, "..") {
		return "", "a pattern does not climb with '..': give the directory as the path"
	}
	if slices.ContainsFunc(parts, Secret) {
		return "", secretPattern(pattern)
	}
	if strings.Contains(pattern, `\/`) {
		return "", "a pattern does not escape '/': leave the backslash out"
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

// magicFolders hold the system's view of itself: doors to other processes'
// files, environments and terminals.
var magicFolders = [...]string{"/proc", "/dev", "/sys"}

// magic tells whether a path lies there. A root may lie there itself: /dev/shm is
// a place for files like any other.
func magic(path string, roots []string) bool {
	return within(path, magicFolders[:]) && !slices.ContainsFunc(roots, func(root string) bool {
		_, below := relative(path, root)
		return below && within(filepath.Clean(root), magicFolders[:])
	})
}

// within tells whether a path is one of the roots or below one, in a form that
// the system takes for a file there.
func within(path string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		_, ok := relative(path, root)
		return ok
	})
}

// relative is a path as seen from a root that it is below of.
func relative(path, root string) (string, bool) {
	if !filepath.IsAbs(root) {
		return "", false
	}
	rel, err := filepath.Rel(filepath.Clean(root), path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// short is a path as seen from the root that it is below of.
func short(path string, roots []string) string {
	for _, root := range roots {
		if rel, ok := relative(path, root); ok {
			return filepath.ToSlash(rel)
		}
	}
	return path
}

func closed(p Policy, tool fileTool) string {
	if tool.writes {
		return fmt.Sprintf("the %s writes no files, on purpose: put into your answer what should be written", p.Role)
	}
	return fmt.Sprintf("no files are open to the %s, on purpose: answer from what you were told", p.Role)
}

func outside(path string, roots []string) string {
	return fmt.Sprintf("'%s' is outside of what is yours: stay below '%s'", told(path), strings.Join(roots, "', '"))
}

// told is a text of the model's in a line of ours: short, and nothing that
// could pass for another line.
func told(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	const most = 200
	if r := []rune(s); len(r) > most {
		return string(r[:most/2]) + "…" + string(r[len(r)-most/2:])
	}
	return s
}
