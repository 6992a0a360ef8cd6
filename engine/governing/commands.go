package governing

import (
	"maps"
	"path"
	"slices"
	"strings"

	"git-flower/worktree"
)

// depth is how many files deep scripts are followed, and maxWords how many
// different words are looked at.
const (
	depth    = 3
	maxWords = 4000
)

// Commands are what checks run, as far as their words and those of the scripts that
// they name tell.
type Commands struct {
	words map[string]bool // that may name programs, in lower case and without folders
	heads map[string]bool // bare names with which the commands themselves begin
}

// A Reader reads those of some paths that are there.
type Reader func(paths []string) (map[string]worktree.File, error)

// Read looks into commands and the scripts that they name.
func Read(commands []string, read Reader) (Commands, error) {
	words := map[string]bool{}
	seen := map[string]bool{}
	texts := commands
	for range depth {
		fresh := wordsOf(texts, words)
		paths := scripts(fresh, seen)
		if len(paths) == 0 || len(words) > maxWords {
			break
		}
		files, err := read(paths)
		if err != nil {
			return Commands{}, err
		}
		texts = nil
		for _, name := range slices.Sorted(maps.Keys(files)) {
			texts = append(texts, withoutComments(files[name].Text))
		}
	}
	wordsOf(texts, words)
	c := Commands{words: map[string]bool{}, heads: heads(commands)}
	for word := range words {
		addPrograms(c.words, word)
	}
	return c, nil
}

// addPrograms adds what programs a word may name.
func addPrograms(programs map[string]bool, word string) {
	name := strings.ToLower(path.Base(word))
	programs[name] = true
	programs[strings.TrimRight(name, "0123456789.")] = true // python3.12
	programs[strings.TrimSuffix(name, ".exe")] = true
}

// wordsOf adds the words of texts to those that are there, and returns the new ones.
func wordsOf(texts []string, words map[string]bool) (fresh []string) {
	for _, text := range texts {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool {
			return !strings.ContainsRune("._+-/", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r < 0x80
		}) {
			if word = strings.TrimRight(word, "."); word != "" && !words[word] && len(words) <= maxWords {
				words[word] = true
				fresh = append(fresh, word)
			}
		}
	}
	return fresh
}

// scripts are the paths at which the words may name a script, or a folder with a
// file of a runner in it, and that were not read yet.
func scripts(words []string, read map[string]bool) (paths []string) {
	add := func(name string) {
		if name = path.Clean(name); !read[name] && !path.IsAbs(name) && !strings.HasPrefix(name, "../") {
			read[name] = true
			paths = append(paths, name)
		}
	}
	for _, runner := range runners {
		add(runner)
	}
	for _, word := range words {
		add(word)
		for _, runner := range runners {
			add(word + "/" + runner)
		}
	}
	return paths
}

// withoutComments leaves out the lines that say something to people: "make" and
// "go" are words of theirs as well.
func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if t := strings.TrimSpace(line); !strings.HasPrefix(t, "#") && !strings.HasPrefix(t, "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// heads are the bare names with which the simple commands of a text begin.
func heads(commands []string) map[string]bool {
	all := map[string]bool{}
	for _, command := range commands {
		for _, simple := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(";&|(){}`\n!", r) }) {
			for _, word := range strings.Fields(simple) {
				if strings.Contains(word, "=") || slices.Contains(prefixes[:], word) {
					continue
				}
				if !strings.Contains(word, "/") {
					all[strings.ToLower(word)] = true
				}
				break
			}
		}
	}
	return all
}

// prefixes are words behind which a simple command begins.
var prefixes = [...]string{"if", "then", "else", "elif", "while", "until", "do", "env", "exec", "time", "nice", "nohup", "command", "sudo"}
