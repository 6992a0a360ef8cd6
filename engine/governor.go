package engine

import (
	"path"
	"slices"
	"strings"

	"git-flower/worktree"
)

// A hit is why a path governs.
type hit struct {
	shown   string // the path, or the folder that counts whole
	program string
	part    picker
}

// governs are the rows of the table by which a changed path is one that a program
// reads which is among the words, and that it stands in place of a program. It is
// pure.
func governs(name string, words, heads map[string]bool) []hit {
	parts := strings.Split(foldedPath(name), "/")
	among := func(word string) bool { return words[word] }
	var hits []hit
	for _, g := range governors {
		i := slices.IndexFunc(g.read, among)
		if i < 0 || len(g.with) > 0 && !slices.ContainsFunc(g.with, among) {
			continue
		}
		if shown := g.shows(name, parts); shown != "" {
			hits = append(hits, hit{shown, g.read[i], g.part})
		}
	}
	base := parts[len(parts)-1]
	if bare := strings.TrimSuffix(base, path.Ext(base)); (heads[base] || heads[bare] && slices.Contains(runnable[:], path.Ext(base))) && searched(parts) {
		hits = append(hits, hit{name, strings.TrimSuffix(base, path.Ext(base)), nil})
	}
	return hits
}

// shows is the path, or the folder that counts whole, by which a path is a row's; ""
// when it is not. parts are the path's, folded.
func (g governor) shows(name string, parts []string) string {
	for _, pattern := range g.names {
		if n := fitsName(pattern, parts); n > 0 {
			return strings.Join(strings.Split(name, "/")[:n], "/")
		}
	}
	return ""
}

// runnable are the ends of names that Windows adds to a command's.
var runnable = [...]string{".exe", ".cmd", ".bat", ".com", ".ps1"}

// searched tells whether a path is in a folder where commands are looked for, when
// the search begins in the tree: the top, or one for programs.
func searched(parts []string) bool {
	if len(parts) == 1 {
		return true
	}
	folder := parts[len(parts)-2]
	return folder == "bin" || folder == ".bin"
}

// fitsName returns how many parts of a path a name of the table takes: all, or as
// far as a folder that counts whole; 0 when it does not fit. A path that ends
// where the name has a folder fits: a link may stand there.
func fitsName(pattern string, parts []string) int {
	folder := strings.HasSuffix(pattern, "/")
	want := strings.Split(strings.TrimSuffix(pattern, "/"), "/")
	for at := range parts {
		n := 0
		for n < len(want) && at+n < len(parts) && partFits(want[n], parts[at+n]) {
			n++
		}
		end := at + n
		switch {
		case n == len(want) && (folder || end == len(parts)):
			return end
		case n > 0 && n < len(want) && end == len(parts):
			return end
		}
	}
	return 0
}

func partFits(pattern, part string) bool {
	ok, err := path.Match(pattern, part)
	return ok && err == nil
}

// counts tells whether the change is one of what governs in the file.
func (h hit) counts(before, after map[string]worktree.File, name string, words map[string]bool) bool {
	old, was := before[name]
	now, is := after[name]
	if h.part == nil || was && !old.Plain || is && !now.Plain {
		return old.ID != now.ID || !was || !is
	}
	return h.part(old.Text, words) != h.part(now.Text, words)
}
