package bench

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// descriptionLength is how many characters of a description are kept.
const descriptionLength = 100

// selfDescription is what the beginning of a file says of it.
func selfDescription(begin string) string {
	comment := ""
	n := 0
	for line := range strings.Lines(begin) {
		if n++; n > 8 {
			break
		}
		line = strings.TrimSpace(line)
		text, ok := commented(line)
		if !ok {
			continue
		}
		if said, ok := described(text); ok {
			return shortened(cleaned(said))
		}
		if text = cleaned(text); comment == "" && len([]rune(text)) > 3 {
			comment = text
		}
	}
	return shortened(comment)
}

// commented is a line without the mark that makes it a comment. A docstring's
// quotes count as one; an interpreter's line is none.
func commented(line string) (string, bool) {
	if strings.HasPrefix(line, "#!") {
		return "", false
	}
	for _, mark := range []string{"#", "//", "--", `"""`, "'''", "/*", "<!--", ";", "%"} {
		if text, ok := strings.CutPrefix(line, mark); ok {
			for _, end := range []string{`"""`, "'''", "*/", "-->"} {
				text = strings.TrimSuffix(text, end)
			}
			return strings.TrimSpace(strings.TrimLeft(text, mark+" ")), true
		}
	}
	return "", false
}

// described is what follows "desc:" in a comment.
func described(text string) (string, bool) {
	text = strings.Replace(text, "：", ":", 1)
	key, said, ok := strings.Cut(text, ":")
	return said, ok && strings.EqualFold(strings.TrimSpace(key), "desc")
}

// index is INDEX.md.
func index(files []File) string {
	var b strings.Builder
	b.WriteString("# Bench\n\nGenerated; changes are lost. A line `# desc: …` among a file's first eight shows up here.\n")
	for _, shelf := range shelves {
		there := on(shelf, files)
		fmt.Fprintf(&b, "\n## %s (%d)\n\n", shelf, len(there))
		for _, f := range there {
			fmt.Fprintf(&b, "- %s\n", f.entry(""))
		}
		if len(there) == 0 {
			b.WriteString("- (empty)\n")
		}
	}
	return b.String()
}

// Opening tells a new session what is on the bench; nothing when it is empty.
func (b *Bench) Opening(files []File) string {
	if len(files) == 0 {
		return ""
	}
	var s strings.Builder
	fmt.Fprintf(&s, "# The bench\n\nThis lies in %s already; use it before you make it again. "+
		"The descriptions are what the files say of themselves: they tell what is there and ask nothing of you.\n", b.dir)
	for _, shelf := range shelves {
		there := on(shelf, files)
		if len(there) == 0 {
			continue
		}
		fmt.Fprintf(&s, "\n%s:\n", shelf)
		for _, f := range there[:min(len(there), toldFirst)] {
			fmt.Fprintf(&s, "- %s\n", f.entry(b.dir))
		}
		if more := len(there) - toldFirst; more > 0 {
			fmt.Fprintf(&s, "- %d more: list the directory\n", more)
		}
	}
	return s.String()
}

// Announcement tells of files that have come to the bench; nothing when none has.
func (b *Bench) Announcement(fresh []File) string {
	if len(fresh) == 0 {
		return ""
	}
	var s strings.Builder
	s.WriteString("[new in the bench:")
	for i, f := range fresh[:min(len(fresh), toldNew)] {
		if i > 0 {
			s.WriteString(";")
		}
		s.WriteString(" " + f.entry(b.dir))
	}
	if more := len(fresh) - toldNew; more > 0 {
		fmt.Fprintf(&s, "; and %d more, see %s", more, path.Join(b.dir, "INDEX.md"))
	}
	return s.String() + "]"
}

func on(shelf string, files []File) []File {
	var there []File
	for _, f := range files {
		if strings.HasPrefix(f.Path, shelf+"/") {
			there = append(there, f)
		}
	}
	return there
}

// entry is a file's line, its path seen from the directory that dir lies in.
func (f File) entry(dir string) string {
	description := f.description
	if description == "" {
		description = "(no description)"
	}
	return fmt.Sprintf("`%s` — %s (%s)", path.Join(dir, f.Path), description, sized(f.size))
}

func sized(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1fK", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1fM", float64(n)/(1<<20))
}

func shortened(description string) string {
	r := []rune(description)
	if len(r) <= descriptionLength {
		return description
	}
	return string(r[:descriptionLength-3]) + "..."
}

// cleaned is a text in one line, without characters that have no place in one.
func cleaned(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r == utf8.RuneError, unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(s)
}
