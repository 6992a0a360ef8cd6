package document

import "strings"

// A Check is one thing that must be seen before the goal counts as reached.
type Check struct {
	Text string // "run this, see that"
	// Command is one line for the shell that decides the check by its exit
	// code; empty means that the judge looks.
	Command string
	// Unverifiable is the reason why it cannot be verified here, empty if it can.
	Unverifiable string
}

// noReason stands where a mark of "unverifiable" gives none.
const noReason = "no reason given"

func parseCheck(it item) Check {
	var c Check
	var text []string
	for i, line := range it.lines {
		if command, ok := runLine(line); ok && i > 0 && c.Command == "" {
			c.Command = command
			continue
		}
		text = append(text, line)
	}
	c.Text, c.Unverifiable, _ = cutMark(joinWrapped(text))
	return c
}

// runLine reads "Run: `command`" (运行：). Prose after "Run:" is no command: what
// is run must stand in a code span that fills the line.
func runLine(line string) (string, bool) {
	line = line[listMark(line).size:]
	for _, word := range []string{"run", "运行"} {
		rest, ok := cutFold(line, word)
		if !ok {
			continue
		}
		if rest, ok = cutColon(strings.TrimLeft(rest, " ")); ok {
			return cutSpan(strings.TrimSpace(rest))
		}
	}
	return "", false
}

// lines prints the check as a list item.
func (c Check) lines() []string {
	text := cutBox(OneLine(c.Text))
	if reason := OneLine(c.Unverifiable); reason != "" {
		if _, said, trailing := cutMark(text); said != reason || trailing {
			text = strings.TrimSpace(text + " [unverifiable here: " + balanced(reason) + "]")
		}
	}
	lines := []string{strings.TrimSpace("- " + text)}
	if c.Command != "" {
		lines = append(lines, "  Run: "+span(c.Command))
	}
	return lines
}

// cutMark cuts "[unverifiable here: reason]" (此环境无法验证) off the end of a
// check. A mark elsewhere gives the reason too, but stays in the text.
func cutMark(text string) (rest, reason string, trailing bool) {
	for at := 0; at < len(text); {
		open := strings.IndexAny(text[at:], "[【")
		if open < 0 {
			break
		}
		open += at
		said, length := readMark(text[open:])
		if length == 0 {
			at = open + 1
			continue
		}
		if strings.Trim(text[open+length:], " .。") == "" {
			return strings.TrimSpace(text[:open]), said, true
		}
		if reason == "" {
			reason = said
		}
		at = open + length
	}
	return text, reason, false
}

// readMark reads a mark at the beginning of text; its length is 0 if there is
// none. A mark that is not closed goes on to the end.
func readMark(text string) (reason string, length int) {
	open, closing := "[", "]"
	if strings.HasPrefix(text, "【") {
		open, closing = "【", "】"
	}
	inner, ok := cutUnverifiable(strings.TrimLeft(text[len(open):], " "))
	if !ok {
		return "", 0
	}
	end := matching(inner, open, closing)
	reason = inner[:end]
	if length = len(text) - len(inner) + end; length < len(text) {
		length += len(closing)
	}
	reason, _ = cutColon(strings.TrimSpace(reason))
	if reason = strings.TrimSpace(reason); reason == "" {
		reason = noReason
	}
	return reason, length
}

func cutUnverifiable(s string) (string, bool) {
	for _, words := range []string{"unverifiable here", "unverifiable", "此环境无法验证", "无法验证"} {
		if rest, ok := cutFold(s, words); ok {
			return rest, true
		}
	}
	return s, false
}

// matching returns where the bracket closes that was opened before s, len(s) if
// nowhere.
func matching(s, open, closing string) int {
	depth := 1
	for i := range len(s) {
		switch {
		case strings.HasPrefix(s[i:], open):
			depth++
		case strings.HasPrefix(s[i:], closing):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// balanced makes brackets that do not match round ones.
func balanced(reason string) string {
	if matching(reason+"]", "[", "]") == len(reason) {
		return reason
	}
	return strings.NewReplacer("[", "(", "]", ")").Replace(reason)
}
