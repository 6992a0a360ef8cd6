package rehearse

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed scripts/*.yaml
var builtin embed.FS

// Builtin reads one of the scripts that come with git flower.
func Builtin(name string) (*Script, error) {
	text, err := Source(name)
	if err != nil {
		return nil, err
	}
	s, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("built-in script '%s': %w", name, err)
	}
	return s, nil
}

// Builtins names the scripts that come with git flower.
func Builtins() []string {
	entries, _ := builtin.ReadDir("scripts") // embedded
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Source is the text of a built-in script.
func Source(name string) ([]byte, error) {
	text, err := builtin.ReadFile("scripts/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no built-in script '%s' (there are: %s)", name, strings.Join(Builtins(), ", "))
	}
	return text, nil
}
