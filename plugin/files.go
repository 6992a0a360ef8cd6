package plugin

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what a pack may hold.
const (
	MaxFiles = 500
	MaxFile  = 1 << 20 // bytes of one file
	MaxSize  = 8 << 20 // bytes in all

	maxPath  = 200 // bytes
	maxDepth = 8   // folders
	maxTold  = 50  // problems; a hostile pack could have any number
)

// A Problem is a part of a pack that was left out, or is not as it was meant.
type Problem struct {
	File string // within the pack
	Line int    // from 1; zero: the whole file
	What string
}

// Error makes a Problem an error.
func (p Problem) Error() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What)
	}
	return p.File + ": " + p.What
}

// Files are what a pack is loaded from. The zero value is empty.
type Files struct {
	data     map[string][]byte
	folded   map[string]bool // names in lower case: some systems know no other
	problems []Problem
	size     int64
	full     bool // a file was left out since there are too many: said once
}

// Wants reports whether a file is to be put in; when not, that is a problem.
// name has slashes and is relative to the pack; size is in bytes.
func (f *Files) Wants(name string, mode fs.FileMode, size int64) bool {
	why := wrongName(name)
	switch {
	case why != "":
	case f.folded[strings.ToLower(name)]:
		why = "another file has the same name but for upper and lower case"
	case mode&fs.ModeSymlink != 0:
		why = "it is a symbolic link, and links are not followed"
	case !mode.IsRegular():
		why = "it is no regular file"
	case size > MaxFile:
		why = fmt.Sprintf("it has %d bytes, and a file may have %d", size, MaxFile)
	case len(f.data) >= MaxFiles && f.full:
		return false
	case len(f.data) >= MaxFiles:
		f.full = true
		why = fmt.Sprintf("there are %d files already, and there may be no more; so are all after it", MaxFiles)
	case f.size+size > MaxSize:
		why = fmt.Sprintf("with it the pack would have more than %d bytes", MaxSize)
	}
	if why != "" {
		f.problem(name, 0, "left out: %s", why)
	}
	return why == ""
}

// Put puts a file in that is wanted. Of more bytes than were asked for, the file
// is left out.
func (f *Files) Put(name string, data []byte) {
	if !f.Wants(name, 0, int64(len(data))) {
		return
	}
	if f.data == nil {
		f.data, f.folded = map[string][]byte{}, map[string]bool{}
	}
	f.data[name], f.folded[strings.ToLower(name)] = data, true
	f.size += int64(len(data))
}

func (f *Files) problem(file string, line int, format string, args ...any) {
	switch what := fmt.Sprintf(format, args...); {
	case len(f.problems) < maxTold:
		f.problems = append(f.problems, Problem{File: printable(file), Line: line, What: printable(what)})
	case len(f.problems) == maxTold:
		f.problems = append(f.problems, Problem{File: "…", What: "there are more problems than are listed"})
	}
}

// below are the names of the files in a folder, in order.
func (f *Files) below(folder string) []string {
	return slices.DeleteFunc(f.names(), func(name string) bool { return !strings.HasPrefix(name, folder+"/") })
}

func (f *Files) names() []string { return slices.Sorted(maps.Keys(f.data)) }

// wrongName says why a name cannot be one of a file on every system.
func wrongName(name string) string {
	switch {
	case !utf8.ValidString(name) || !fs.ValidPath(name) || name == "." || name != printable(name) || strings.ContainsAny(name, `\:*?"<>|`):
		return "its name has characters that are not taken"
	case len(name) > maxPath:
		return fmt.Sprintf("its name is longer than %d bytes", maxPath)
	case strings.Count(name, "/") >= maxDepth:
		return fmt.Sprintf("it lies more than %d folders deep", maxDepth)
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") || strings.TrimRight(part, " .") != part {
			return "its name has a part that some system takes for another"
		}
	}
	return ""
}

// printable is text without what a terminal or a reader would not show.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || invisible(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, text)
}

// invisible characters can hide instructions or turn their order around. The two
// joiners are letters' business in several scripts.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' || r == '\u2028' || r == '\u2029'
}

// ReadFolder reads a pack from a folder, without leaving it.
func ReadFolder(dir string) (*Files, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("read the pack in '%s': %w", dir, err)
	}
	defer root.Close()
	f := &Files{}
	if err := f.read(root.FS()); err != nil {
		return nil, fmt.Errorf("read the pack in '%s': %w", dir, err)
	}
	return f, nil
}

// maxEntries is how many names are looked at, in folders without end.
const maxEntries = 20 * MaxFiles

func (f *Files) read(from fs.FS) error {
	seen := 0
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if seen++; seen > maxEntries {
			f.problem(name, 0, "the pack has more than %d files and folders; the rest is left out", maxEntries)
			return fs.SkipAll
		}
		switch {
		case err != nil:
			f.problem(name, 0, "left out: it cannot be read")
			return nil
		case d.IsDir() && strings.Count(name, "/") >= maxDepth:
			f.problem(name, 0, "left out: it lies more than %d folders deep", maxDepth)
			return fs.SkipDir
		case d.IsDir() && path.Base(name) == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		return f.take(from, name, d)
	})
}

func (f *Files) take(from fs.FS, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil || !f.Wants(name, info.Mode(), info.Size()) {
		return nil // gone meanwhile, or said already
	}
	data, err := fs.ReadFile(from, name)
	if err != nil {
		f.problem(name, 0, "left out: it cannot be read")
		return nil
	}
	f.Put(name, data)
	return nil
}
