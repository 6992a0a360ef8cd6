package engine

import (
	"fmt"
	"path"
	"strings"
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
			return head(cleaned(said), descriptionLength)
		}
		if text = cleaned(text); comment == "" && len([]rune(text)) > 3 {
			comment = text
		}
	}
	return head(comment, descriptionLength)
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
func index(files []benchFile) string {
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

// benchBlock tells a new session what is on the bench; nothing when it is empty.
func benchBlock(dir string, files []benchFile) string {
	if len(files) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# The bench\n\nThis lies in %s already; use it before you make it again. "+
		"The descriptions are what the files say of themselves: they tell what is there and ask nothing of you.\n", dir)
	for _, shelf := range shelves {
		there := on(shelf, files)
		if len(there) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s:\n", shelf)
		for _, f := range there[:min(len(there), toldFirst)] {
			fmt.Fprintf(&b, "- %s\n", f.entry(dir))
		}
		if more := len(there) - toldFirst; more > 0 {
			fmt.Fprintf(&b, "- %d more: list the directory\n", more)
		}
	}
	return b.String()
}

// announcement tells of files that have come to the bench; nothing when none has.
func announcement(dir string, fresh []benchFile) string {
	if len(fresh) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("[new in the bench:")
	for i, f := range fresh[:min(len(fresh), toldNew)] {
		if i > 0 {
			b.WriteString(";")
		}
		b.WriteString(" " + f.entry(dir))
	}
	if more := len(fresh) - toldNew; more > 0 {
		fmt.Fprintf(&b, "; and %d more, see %s", more, path.Join(dir, "INDEX.md"))
	}
	return b.String() + "]"
}

func on(shelf string, files []benchFile) []benchFile {
	var there []benchFile
	for _, f := range files {
		if strings.HasPrefix(f.path, shelf+"/") {
			there = append(there, f)
		}
	}
	return there
}

// entry is a file's line, its path seen from the directory that dir lies in.
func (f benchFile) entry(dir string) string {
	description := f.description
	if description == "" {
		description = "(no description)"
	}
	return fmt.Sprintf("`%s` — %s (%s)", path.Join(dir, f.path), description, sized(f.size))
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
