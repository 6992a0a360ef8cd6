package document

import "strings"

// span prints text as a code span on one line.
func span(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(Clean(text), "\n", " "))
	fence := "`"
	for runs := backtickRuns(text); runs[len(fence)]; {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// cutSpan reads text that is one code span from end to end.
func cutSpan(text string) (string, bool) {
	inner := strings.TrimLeft(text, "`")
	n := len(text) - len(inner)
	code := strings.TrimRight(inner, "`")
	if n == 0 || len(inner)-len(code) != n || backtickRuns(code)[n] {
		return "", false
	}
	code = strings.TrimSpace(code)
	return code, code != ""
}

// backtickRuns returns the lengths of the runs of backticks in text.
func backtickRuns(text string) map[int]bool {
	runs := map[int]bool{}
	n := 0
	for i := range len(text) {
		if text[i] == '`' {
			n++
			continue
		}
		runs[n] = true
		n = 0
	}
	runs[n] = true
	delete(runs, 0)
	return runs
}
