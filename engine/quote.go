package engine

import (
	"fmt"
	"regexp"
	"strings"

	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

// quote makes text part of a prompt. Each of its lines begins with '>', so that
// nothing in it can be taken for a heading of ours, for the end of the quotation
// or for the words of somebody else. The same text is always quoted alike.
func quote(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(document.Clean(text), "\n") {
		b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// engineParts are the headings under which the engine adds to documents that
// others wrote.
var engineParts = regexp.MustCompile(`(?im)^([ \t]*)(#+[ \t]*(?:conflict|notes of the engine|commands|on the base)\b)`)

// withoutOurs is a document that somebody else wrote, without headings that only
// the engine writes: each has a backslash before it.
func withoutOurs(text string) string {
	return engineParts.ReplaceAllString(text, `$1\$2`)
}

// reportText is a report as the coordinator is given it.
func reportText(report gitstate.Doc) string {
	m := report.Meta
	return fmt.Sprintf("# %s: %s\n\n%s\n\n", document.OneLine(m.Worker), document.OneLine(m.State), quote(report.Body))
}
