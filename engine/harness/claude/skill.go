package claude

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// packNames are the names of packs, by their manifests.
func packNames(folders []string) ([]string, error) {
	var names []string
	for _, dir := range folders {
		raw, err := os.ReadFile(filepath.Join(dir, ".claude-plugin", "plugin.json"))
		if err != nil {
			return nil, fmt.Errorf("read the pack '%s': %w", dir, err)
		}
		var manifest struct{ Name string }
		if err := json.Unmarshal(raw, &manifest); err != nil || manifest.Name == "" {
			return nil, fmt.Errorf("the pack '%s' has no name", dir)
		}
		names = append(names, manifest.Name)
	}
	return names, nil
}

// hasSkill tells whether a call of Skill wants one of the packs'. The CLI brings
// skills of its own besides, which speak of tools and settings that there are not.
func (s *session) hasSkill(input json.RawMessage) bool {
	var in struct{ Skill string }
	if json.Unmarshal(input, &in) != nil {
		return false
	}
	pack, name, ok := strings.Cut(strings.TrimPrefix(in.Skill, "/"), ":")
	return ok && name != "" && slices.Contains(s.packs, pack)
}
