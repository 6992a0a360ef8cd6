package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"git-flower/engine/economy"
)

// statsText shows a report to people.
func statsText(l look, r runFigures) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s\n\n", l.paint(strong, oneLine(r.Run)))
	if len(r.Sessions) == 0 {
		b.WriteString("Nothing has been asked of a model yet.\n")
		return b.String()
	}
	b.WriteString(statsTable(l, r.Report))
	b.WriteString("\n" + factLines(l, statsFacts(r)))
	b.WriteString(plot(l, mainCurves(r.Report)))
	b.WriteString(l.fold(unrecordedWords(r.Unrecorded), 0))
	b.WriteString(l.fold(elsewhereWords(r.Missing), 0))
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
		{head: "requests", goes: 6, cell: func(p economy.Part) string { return human(int64(p.Billed.Requests)) }},
		{head: "turns", goes: 4, cell: held(func(h economy.Held) int { return h.Turns })},
		{head: "calls", goes: 5, cell: held(func(h economy.Held) int { return h.Calls })},
		{head: "denied", goes: 9, cell: held(func(h economy.Held) int { return h.Denials })},
		{head: "spills", goes: 8, cell: held(func(h economy.Held) int { return h.Spills })},
		{head: "chars", goes: 7, cell: held(func(h economy.Held) int { return h.Characters })},
		{head: "input", goes: 1, cell: func(p economy.Part) string { return human(p.Billed.Input + p.Billed.Read + p.Billed.Written) }},
		{head: "cached", goes: 3, cell: func(p economy.Part) string {
			hits, ok := p.Billed.Hits()
			if !ok {
				return "-"
			}
			return percent(&hits)
		}},
		{head: "output", goes: 2, cell: func(p economy.Part) string { return human(p.Billed.Output) }},
		{head: "USD", cell: func(p economy.Part) string { return costCell(p.Billed) }},
	}
}

// costCell is what is known of a cost: "-" for nothing, "+" behind what is a part.
func costCell(b economy.Billed) string {
	cell := strings.TrimSuffix(dollars(b.Cost), " USD")
	switch {
	case b.Unpriced == 0:
		return cell
	case b.Cost == 0:
		return "-"
	}
	return cell + "+"
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

// goesInPipe is from which on a column goes where there is no terminal.
const goesInPipe = 8

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
		if columns[i].goes == 0 || room == 0 && columns[i].goes < goesInPipe {
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
