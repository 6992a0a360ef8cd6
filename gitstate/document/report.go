package document

import (
	"strings"
	"unicode/utf8"
)

// A Report is what a worker says at its end, the only thing of it that the
// coordinator sees. All four parts are needed; "none" is an answer.
type Report struct {
	Conclusion string // one sentence
	Evidence   string // key figures, file:line, at most five
	Output     string // paths of what was written
	Unverified string // and risks
}

var reportTitles = []string{"Conclusion", "Evidence", "Output", "Unverified"}

// ReportLines is the most lines a report may have (spec/engine.md 3.2), its four
// headings included, blank ones not.
const ReportLines = 30

// reportWidth is how many characters of a line count as one line: a report on
// one endless line is not short.
const reportWidth = 200

// ParseReport reads a report.
func ParseReport(text string) Report {
	o := reportGrammar.read(text)
	return Report{Conclusion: o.first(0), Evidence: o.first(1), Output: o.first(2), Unverified: o.first(3)}
}

// Missing names the sections that are empty, in their order.
func (r Report) Missing() []string {
	return missing(reportTitles, r.Conclusion, r.Evidence, r.Output, r.Unverified)
}

// TooLong reports whether the printed report has more than ReportLines lines.
func (r Report) TooLong() bool {
	count := 0
	for line := range strings.Lines(r.String()) {
		count += (utf8.RuneCountInString(strings.TrimSpace(line)) + reportWidth - 1) / reportWidth
	}
	return count > ReportLines
}

// String prints the report.
func (r Report) String() string {
	w := newWriter(reportGrammar, reportTitles)
	for i, body := range []string{r.Conclusion, r.Evidence, r.Output, r.Unverified} {
		w.section(i, body)
	}
	return w.String()
}
