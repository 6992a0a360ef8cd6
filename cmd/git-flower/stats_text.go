package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"git-flower/engine/economy"
)

// statsText shows a report to people.
func statsText(l look, r economy.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s\n\n", l.paint(strong, oneLine(r.Run)))
	if len(r.Sessions) == 0 {
		b.WriteString("Nothing has been asked of a model yet.\n")
		return b.String()
	}
	b.WriteString(statsTable(l, r))
	b.WriteString("\n" + factLines(l, statsFacts(r)))
	b.WriteString(plot(l, mainCurves(r)))
	b.WriteString(unrecordedWords(r.Unrecorded))
	b.WriteString(elsewhereWords(r.Missing))
	return b.String()
}

// A statsColumn is a figure of each line of the table.
type statsColumn struct {
	head string
	goes int // which goes first where the terminal is narrow: the greatest; 0 never does
	cell func(economy.Part) string
}

func statsColumns() []statsColumn {
	held := func(f func(economy.Held) int) func(economy.Part) string {
		return func(p economy.Part) string {
			if p.Held == nil {
				return "-"
			}
			return human(int64(f(*p.Held)))
		}
	}
	return []statsColumn{
		{head: "requests", goes: 3, cell: func(p economy.Part) string { return human(int64(p.Billed.Requests)) }},
		{head: "turns", goes: 1, cell: held(func(h economy.Held) int { return h.Turns })},
		{head: "calls", goes: 2, cell: held(func(h economy.Held) int { return h.Calls })},
		{head: "denied", goes: 6, cell: held(func(h economy.Held) int { return h.Denials })},
		{head: "spills", goes: 5, cell: held(func(h economy.Held) int { return h.Spills })},
		{head: "chars", goes: 4, cell: held(func(h economy.Held) int { return h.Characters })},
		{head: "input", cell: func(p economy.Part) string { return human(p.Billed.Input + p.Billed.Read + p.Billed.Written) }},
		{head: "cached", cell: func(p economy.Part) string {
			hits, ok := p.Billed.Hits()
			if !ok {
				return "-"
			}
			return percent(&hits)
		}},
		{head: "output", cell: func(p economy.Part) string { return human(p.Billed.Output) }},
		{head: "USD", cell: func(p economy.Part) string { return strings.TrimSuffix(dollars(p.Billed.Cost), " USD") }},
	}
}

// A statsLine of the table.
type statsLine struct {
	name string
	economy.Part
}

// statsLines are the sessions under their roles; a role of one session is told
// once.
func statsLines(r economy.Report) []statsLine {
	var lines []statsLine
	for _, role := range r.Roles {
		lines = append(lines, statsLine{oneLine(role.Role), role})
		if role.Sessions == 1 {
			continue
		}
		for _, s := range r.Sessions {
			if s.Role == role.Role {
				name := cmp.Or(s.Worker, s.Labels[0]) + " " + s.ID[:min(4, len(s.ID))]
				lines = append(lines, statsLine{"  " + oneLine(name), economy.Part{Sessions: 1, Billed: s.Billed, Held: s.Held}})
			}
		}
	}
	return append(lines, statsLine{"total", r.Total})
}

// nameWidth bounds the first column of the table.
const nameWidth = 22

// statsTable fits the terminal: what it has no room for is left out from the
// columns that tell least.
func statsTable(l look, r economy.Report) string {
	lines := statsLines(r)
	cells := [][]string{{""}}
	for _, line := range lines {
		cells = append(cells, []string{cut(line.name, nameWidth)})
	}
	for _, c := range fitting(statsColumns(), lines, l.columns) {
		cells[0] = append(cells[0], c.head)
		for i, line := range lines {
			cells[i+1] = append(cells[i+1], c.cell(line.Part))
		}
	}
	widths := columnWidths(cells)
	var b strings.Builder
	for i, row := range cells {
		text := pad(row[0], widths[0])
		for at, cell := range row[1:] {
			text += "  " + strings.Repeat(" ", widths[at+1]-len(cell)) + cell
		}
		if l.columns > 0 {
			text = cut(text, l.columns)
		}
		switch {
		case i == 0:
			text = l.paint(faint, text)
		case i == len(cells)-1:
			text = l.paint(strong, text)
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return b.String()
}

// fitting are the columns that a terminal has room for. Where there is none, what
// goes first is left out, as in most terminals.
func fitting(columns []statsColumn, lines []statsLine, room int) []statsColumn {
	width := 0
	for _, line := range lines {
		width = max(width, min(nameWidth, len(line.name)))
	}
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = len(c.head)
		for _, line := range lines {
			widths[i] = max(widths[i], len(c.cell(line.Part)))
		}
		width += 2 + widths[i]
	}
	for room == 0 || width > room {
		i := 0
		for at, c := range columns {
			if c.goes > columns[i].goes {
				i = at
			}
		}
		if columns[i].goes == 0 || room == 0 && columns[i].goes < 5 {
			break
		}
		width -= 2 + widths[i]
		columns, widths = slices.Delete(columns, i, i+1), slices.Delete(widths, i, i+1)
	}
	return columns
}

func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	return widths
}

// statsFacts are what the table cannot show: a label and its words.
func statsFacts(r economy.Report) [][2]string {
	m := r.Main
	facts := [][2]string{
		{"kept out", fmt.Sprintf("%s of the characters, %s of the turns, %s of the requests", percent(m.OutCharacters), percent(m.OutTurns), percent(m.OutRequests))},
		{"cache hits", fmt.Sprintf("%s of the coordinator's input", percent(m.Hits))},
	}
	if m.Growth != nil {
		facts = append(facts, [2]string{"growth", fmt.Sprintf("%s tokens a turn of the coordinator", human(int64(*m.Growth)))})
	}
	if m.Hidden != nil {
		facts = append(facts, [2]string{"unseen", fmt.Sprintf("%.1f calls of workers for each task", *m.Hidden)})
	}
	if w := r.Workers; w.Sessions > 1 {
		facts = append(facts, [2]string{"workers", fmt.Sprintf("%d; output %s, %s, %s (largest, median, smallest)", w.Sessions, human(w.Largest), human(w.Median), human(w.Smallest))})
	}
	if h := r.Total.Held; h != nil {
		facts = append(facts, [2]string{"calls", fmt.Sprintf("%d of %d refused; %d glances of the coordinator", h.Denials, h.Calls, h.Glances)},
			[2]string{"spills", fmt.Sprintf("%d, %s characters", h.Spills, human(int64(h.Spilled)))},
			[2]string{"left out", leftWords(h.Left)})
	}
	if s := r.Scripts; s != nil && len(s.Each) > 0 {
		facts = append(facts, [2]string{"scripts", fmt.Sprintf("%d, written %d times, run %d times; %d more than once, %d never", len(s.Each), s.Written, s.Runs, s.Again, s.Idle)})
	}
	return facts
}

// leftWords say what resumed sessions were not shown again.
func leftWords(l *economy.Left) string {
	switch {
	case l == nil:
		return "- (an older git flower resumed a session and did not note it)"
	case l.Loads == 0:
		return "nothing"
	}
	return fmt.Sprintf("%d results expired, %d became pointers, %d refusals, %s characters, at %s",
		l.Expired, l.Cleared, l.Denied, human(int64(l.Characters)), plural(l.Loads, "resumption"))
}

// unrecordedWords tell of requests that no record holds yet.
func unrecordedWords(b economy.Billed) string {
	if b.Requests == 0 {
		return ""
	}
	return fmt.Sprintf("\nIn no record yet, so that only this machine knows: %s, %s.\n", plural(b.Requests, "request"), dollars(b.Cost))
}

func factLines(l look, facts [][2]string) string {
	var b strings.Builder
	for _, f := range facts {
		b.WriteString(l.clip(fmt.Sprintf("  %-11s %s", f[0]+":", f[1])) + "\n")
	}
	return b.String()
}

// elsewhereWords name the sessions whose transcripts are elsewhere.
func elsewhereWords(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	const most = 5
	text := fmt.Sprintf("\nNot on this machine: the transcripts of %s. What is counted in them is missing above.\n", plural(len(ids), "session"))
	for _, id := range ids[:min(most, len(ids))] {
		text += "  " + oneLine(id) + "\n"
	}
	if more := len(ids) - most; more > 0 {
		text += fmt.Sprintf("  and %d more\n", more)
	}
	return text
}

func percent(part *float64) string {
	if part == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100**part)
}

// human shortens a number: below a thousand as it is, else with one decimal.
func human(n int64) string {
	value := float64(n)
	for _, unit := range []string{"", "K", "M"} {
		if value < 1000 {
			if unit == "" {
				return fmt.Sprint(n)
			}
			return fmt.Sprintf("%.1f%s", value, unit)
		}
		value /= 1000
	}
	return fmt.Sprintf("%.1fB", value)
}
