package governing

import (
	"path"
	"slices"
	"strings"

	"git-flower/guards"
	"git-flower/worktree"
)

// A Hit is why a path governs.
type Hit struct {
	Shown   string // the path, or the folder that counts whole
	Program string // whose doing it decides
	part    picker
}

// Governed are the rows of the table by which a path is one that a program of the
// commands reads, and that it stands in place of one. None: it is not.
func (c Commands) Governed(name string) []Hit {
	parts := strings.Split(Folded(name), "/")
	among := func(word string) bool { return c.words[word] }
	var hits []Hit
	for _, g := range governors {
		i := slices.IndexFunc(g.read, among)
		if i < 0 || len(g.with) > 0 && !slices.ContainsFunc(g.with, among) {
			continue
		}
		if shown := g.shows(name, parts); shown != "" {
			hits = append(hits, Hit{shown, g.read[i], g.part})
		}
	}
	base := parts[len(parts)-1]
	if bare := strings.TrimSuffix(base, path.Ext(base)); (c.heads[base] || c.heads[bare] && slices.Contains(runnable[:], path.Ext(base))) && searched(parts) {
		hits = append(hits, Hit{name, strings.TrimSuffix(base, path.Ext(base)), nil})
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

// Counts tells whether the change of a path that governs is one of what governs in
// the file.
func (c Commands) Counts(h Hit, name string, before, after map[string]worktree.File) bool {
	old, was := before[name]
	now, is := after[name]
	if h.part == nil || was && !old.Plain || is && !now.Plain {
		return old.ID != now.ID || !was || !is
	}
	return h.part(old.Text, c.words) != h.part(now.Text, c.words)
}

// Folded is a path in the one form of those that a file system may take for the same.
func Folded(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if part != "." && part != ".." && part != "**" {
			parts[i] = guards.Folded(part)
		}
	}
	return strings.Join(parts, "/")
}
