package guards

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// secretNames are files, and secretFolders folders, that hold credentials and
// little else. Patterns as in path.Match, in lower case.
var secretNames = [...]string{
	".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".git-credentials", ".npmrc", ".pypirc", ".pgpass", ".my.cnf",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.key", "*.ppk", "*.p12", "*.pfx", "*.keystore", "*.jks", "*.kdbx",
	".credentials.json", ".htpasswd", ".vault-token", ".terraformrc", "*.tfstate",
}

var secretFolders = [...]string{".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store"}

// secretPlaces are folders whose last name alone says little.
var secretPlaces = [...]string{"/.config/gcloud/", "/.local/share/keyrings/", "/library/keychains/"}

// secretTails are files whose name alone says little.
var secretTails = [...]string{"/.docker/config.json", "/.config/gh/hosts.yml", "/.cargo/credentials.toml", "/.cargo/credentials", "/.m2/settings.xml", "/.gem/credentials"}

// examples are what people commit in place of the real file.
var examples = [...]string{".example", ".sample", ".template", ".dist", ".defaults"}

// Secret reports whether a path looks like a place for credentials. Letter case
// and the characters that some file systems leave out of a name do not count.
func Secret(name string) bool {
	parts := strings.Split(strings.ReplaceAll(name, `\`, "/"), "/")
	for i, part := range parts {
		parts[i] = Folded(part)
	}
	base := parts[len(parts)-1]
	for _, folder := range parts {
		if slices.Contains(secretFolders[:], folder) {
			return true
		}
	}
	whole := "/" + strings.Join(parts, "/")
	ends := func(tail string) bool { return strings.HasSuffix(whole, tail) }
	if slices.ContainsFunc(secretPlaces[:], func(place string) bool { return strings.Contains(whole+"/", place) }) {
		return true
	}
	if slices.ContainsFunc(examples[:], ends) {
		return false
	}
	return slices.ContainsFunc(secretTails[:], ends) || slices.ContainsFunc(secretNames[:], func(pattern string) bool {
		ok, err := path.Match(pattern, base)
		return ok && err == nil
	})
}

// findsSecret tells whether a pattern of the shell's finds a place for credentials
// by the beginning of its name, such as '.e*'. One that begins with a wildcard
// means whatever is there.
func findsSecret(pattern string) bool {
	base := Folded(path.Base(pattern))
	return strings.IndexAny(base, "*?[") > 0 && slices.ContainsFunc(secretNames[:], func(name string) bool {
		ok, err := path.Match(base, strings.TrimSuffix(name, "*"))
		return ok && err == nil && !strings.HasPrefix(name, "*")
	})
}

// Folded is a name of a file as the most forgiving file systems see it: HFS+ leaves
// characters without width out and folds case beyond ASCII, NTFS drops dots and
// blanks at the end and takes what follows a colon for a stream of the file.
func Folded(name string) string {
	if i := strings.IndexByte(name, ':'); i > 0 {
		name = name[:i]
	}
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			if other < r {
				r = other
			}
		}
		return unicode.ToLower(r)
	}, name)
	if short := strings.TrimRight(name, ". "); short != "" {
		return short
	}
	return name
}

// closed tells whether a path is a place for secrets that nobody has opened.
func (p Policy) closed(path string, roots []string) bool {
	return Secret(path) && !slices.ContainsFunc(p.Opened, func(open string) bool {
		if filepath.IsAbs(open) {
			return filepath.Clean(open) == path
		}
		return slices.ContainsFunc(roots, func(root string) bool {
			rel, ok := relative(path, root)
			return ok && rel == filepath.Clean(filepath.FromSlash(open))
		})
	})
}

// Closed tells whether the contents of a file are withheld: a search through a
// whole folder has to leave it out. path is absolute.
func (p Policy) Closed(path string) bool {
	return p.closed(filepath.Clean(path), slices.Concat(p.Roots, p.Readable))
}

// settings are the forms of '.env.*' that hold settings, without the examples
// beside them, which may be read.
var settings = [...]string{".env.local", ".env.*.local", ".env.dev*", ".env.prod*", ".env.stag*", ".env.test*"}

// Withheld are the places for secrets that nobody has opened, as patterns in the
// form of .gitignore, for a program that searches folders by itself. They are
// rougher than Closed, which has the last word: what one of them finds and the
// person has opened is in none of them.
func (p Policy) Withheld() []string {
	var all []string
	add := func(form string, names ...string) {
		for _, name := range names {
			if pattern := strings.ReplaceAll(form, "%", name); !slices.ContainsFunc(p.Opened, func(open string) bool { return opens(open, name) }) {
				all = append(all, pattern)
			}
		}
	}
	for _, name := range secretNames {
		if name == ".env.*" {
			add("**/%", settings[:]...)
			continue
		}
		add("**/%", name)
	}
	add("**/%/**", secretFolders[:]...)
	add("**%**", secretPlaces[:]...)
	add("**%", secretTails[:]...)
	return all
}

// opens tells whether an opened path is one that a name of the tables stands for.
func opens(open, name string) bool {
	open = "/" + strings.ToLower(filepath.ToSlash(open))
	if strings.HasPrefix(name, "/") {
		return strings.Contains(open+"/", name)
	}
	for _, part := range strings.Split(open, "/") {
		if ok, err := path.Match(name, part); ok && err == nil {
			return true
		}
	}
	return false
}

func secretReason(name string) string {
	return fmt.Sprintf("'%s' may hold secrets, and whatever passes through you stays in the transcript: look for an example file beside it, "+
		"or say what you need to know from it. The person can open it with a line of their own, '%s %s'", told(name), openingWords, told(name))
}

func secretPattern(pattern string) string {
	return fmt.Sprintf("'%s' looks for files that may hold secrets: leave them out of the pattern, or say what you need to know from them. "+
		"The person can open a file by its path", told(pattern))
}
