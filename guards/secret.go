package guards

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// secretNames are files, and secretFolders folders, that hold credentials and
// little else. Patterns as in path.Match, in lower case.
var secretNames = [...]string{
	".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".git-credentials", ".npmrc", ".pypirc", ".pgpass",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".credentials.json", ".htpasswd", "*.p12", "*.pfx", "*.keystore",
}

var secretFolders = [...]string{".ssh", ".gnupg", ".aws"}

// secretTails are files whose name alone says little.
var secretTails = [...]string{"/.docker/config.json", "/.kube/config", "/.config/gh/hosts.yml"}

// examples are what people commit in place of the real file.
var examples = [...]string{".example", ".sample", ".template", ".dist", ".defaults"}

// Secret reports whether a path looks like a place for credentials. Letter case
// does not count: some file systems ignore it.
func Secret(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
	parts := strings.Split(name, "/")
	base := parts[len(parts)-1]
	for _, folder := range parts {
		if slices.Contains(secretFolders[:], folder) {
			return true
		}
	}
	ends := func(tail string) bool { return strings.HasSuffix("/"+name, tail) }
	if slices.ContainsFunc(examples[:], ends) {
		return false
	}
	return slices.ContainsFunc(secretTails[:], ends) || slices.ContainsFunc(secretNames[:], func(pattern string) bool {
		ok, err := path.Match(pattern, base)
		return ok && err == nil
	})
}

func secretReason(name string) string {
	return fmt.Sprintf("'%s' may hold secrets and would end up in the transcript: ask the human for what you need to know", name)
}
