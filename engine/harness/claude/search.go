package claude

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
)

// found is the path at the beginning of a line of a search's result, which a line
// number or a count follows.
var found = regexp.MustCompile(`^(.+?)[:-]\d+([:-]|$)`)

// withoutClosed takes out of a search's result what it found in files that are
// withheld. What the CLI was told to leave out is rougher than what is withheld.
func withoutClosed(response json.RawMessage, dir string, closed func(string) bool) (json.RawMessage, bool) {
	var r map[string]any
	if json.Unmarshal(response, &r) != nil {
		return response, false
	}
	shut := func(path string) bool {
		if path != "" && !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path != "" && closed(path)
	}
	changed := false
	if names, ok := r["filenames"].([]any); ok {
		left := []any{}
		for _, name := range names {
			if path, _ := name.(string); shut(path) {
				changed = true
				continue
			}
			left = append(left, name)
		}
		r["filenames"] = left
	}
	if text, ok := r["content"].(string); ok {
		var left []string
		for line := range strings.SplitSeq(text, "\n") {
			path := line
			if m := found.FindStringSubmatch(line); m != nil {
				path = m[1]
			}
			if shut(path) {
				changed = true
				continue
			}
			left = append(left, line)
		}
		r["content"] = strings.Join(left, "\n")
	}
	if !changed {
		return response, false
	}
	out, err := json.Marshal(r)
	return out, err == nil
}
