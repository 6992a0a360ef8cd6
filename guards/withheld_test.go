package guards

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// Every pattern finds only what a search has to leave out, and those that the
// person has opened are not among them.
func TestWithheld(t *testing.T) {
	all := Policy{}.Withheld()
	for _, pattern := range all {
		name := strings.NewReplacer("**/", "a/", "/**", "/x", "**", "", "*", "x").Replace(pattern)
		if !Secret("/" + strings.TrimPrefix(name, "/")) {
			t.Errorf("'%s' withholds '%s', which is no secret", pattern, name)
		}
	}
	for _, tt := range []struct{ open, gone string }{
		{".env", "**/.env"}, {"config/.env.local", "**/.env.local"}, {"certs/server.key", "**/*.key"}, {".aws/config", "**/.aws/**"},
		{"x/.docker/config.json", "**/.docker/config.json"},
	} {
		left := Policy{Opened: []string{tt.open}}.Withheld()
		if !slices.Contains(all, tt.gone) || slices.Contains(left, tt.gone) || len(left) >= len(all) {
			t.Errorf("with '%s' opened '%s' is still withheld", tt.open, tt.gone)
		}
	}
	for _, name := range []string{".env.example", ".env.sample", "environment.go", "keys.go"} {
		for _, pattern := range all {
			if ok, _ := path.Match(path.Base(pattern), name); ok && !strings.HasSuffix(pattern, "**") {
				t.Errorf("'%s' withholds '%s'", pattern, name)
			}
		}
	}
}
