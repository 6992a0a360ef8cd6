package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// A row is one line of the table. Its cells are text: a figure without an
// opposite number leaves other and ratio empty.
type row struct {
	what, ours, other, ratio, quick, target, note string
}

// versus is the row of a contest. most is the target for the ratio, 0 for none.
func versus(what string, t times, most float64, note string) row {
	r := row{what: what, ours: millis(median(t.ours)), other: millis(median(t.other)), note: note}
	r.ratio, r.quick = strconv.FormatFloat(t.ratio(), 'f', 2, 64), strconv.FormatFloat(t.quickRatio(), 'f', 2, 64)
	if most > 0 {
		r.target = fmt.Sprintf("≤ %.2f %s", most, verdict(t.ratio() <= most))
	}
	return r
}

// figure is the row of a value that stands alone.
func figure(what string, value, most float64, unit, note string) row {
	r := row{what: what, ours: fmt.Sprintf("%.1f %s", value, unit), note: note}
	if most > 0 {
		r.target = fmt.Sprintf("≤ %g %s %s", most, unit, verdict(value <= most))
	}
	return r
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "MISSED"
}

func millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms < 10 {
		return fmt.Sprintf("%.2f ms", ms)
	}
	return fmt.Sprintf("%.1f ms", ms)
}

// printRows prints a group as a table of markdown, which also reads well as it is.
func printRows(out io.Writer, name string, rows []row) {
	if len(rows) == 0 {
		return
	}
	lines := [][]string{{name, "ours", "other", "ratio", "quickest", "target", "note"}}
	for _, r := range rows {
		lines = append(lines, []string{r.what, r.ours, r.other, r.ratio, r.quick, r.target, r.note})
	}
	widths := make([]int, len(lines[0]))
	for _, cells := range lines {
		for i, c := range cells {
			widths[i] = max(widths[i], len([]rune(c)))
		}
	}
	fmt.Fprintln(out)
	for i, cells := range lines {
		printCells(out, cells, widths)
		if i == 0 {
			fmt.Fprintln(out, "|"+strings.Repeat("---|", len(cells)))
		}
	}
}

func printCells(out io.Writer, cells []string, widths []int) {
	var b strings.Builder
	for i, c := range cells {
		fill := strings.Repeat(" ", widths[i]-len([]rune(c)))
		if i > 0 && i < len(cells)-1 { // figures to the right, words to the left
			c, fill = fill+c, ""
		}
		b.WriteString("| " + c + fill + " ")
	}
	fmt.Fprintln(out, b.String()+"|")
}
