package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"git-flower/gitstate"
)

// A look is how output for people is dressed: with colour or without, from which
// moment the past is counted, and how wide the terminal is. Its zero value is plain.
type look struct {
	colour  bool
	now     time.Time
	columns int // zero: no terminal
}

// lineWidth is where a line that is only a summary is cut, if the terminal has
// room for so much.
const lineWidth = 96

// room is how wide such a line may be behind something of the given width.
func (l look) room(behind int) int {
	if l.columns == 0 {
		return lineWidth
	}
	return min(lineWidth, max(20, l.columns-behind))
}

// pipeWidth is where a table's last column is cut where there is no terminal.
const pipeWidth = 72

// rest is how wide a table's last column may be behind the others.
func (l look) rest(behind int) int {
	if l.columns == 0 {
		return pipeWidth
	}
	return max(1, l.columns-behind)
}

// clip cuts the lines of a clean text to the terminal; without one they stay.
func (l look) clip(text string) string {
	if l.columns == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = cut(line, l.columns)
	}
	return strings.Join(lines, "\n")
}

// look asks git whether colour is wanted: only on a terminal, or in front of
// the pager that git runs for us, and never against NO_COLOR.
func (e *Env) look(ctx context.Context) look {
	l := look{now: e.Now(), columns: e.columns()}
	paging, _ := e.lookup("GIT_PAGER_IN_USE")
	if off, _ := e.lookup("NO_COLOR"); off != "" || !e.OutTerminal && paging == "" {
		return l
	}
	answer, err := e.git().Line(ctx, "config", "--get-colorbool", "color.flower", "true")
	l.colour = err == nil && answer == "true"
	return l
}

// The colours say what a thing is, never that it is pretty.
const (
	good   = "32" // reached, passed
	bad    = "31" // failed
	asks   = "33" // waits for a person
	faint  = "2"  // ids, dates
	strong = "1"  // names
)

// paint dresses text that has been cleaned.
func (l look) paint(colour, text string) string {
	if !l.colour || text == "" || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[m"
}

// pad fills clean text up to width columns; East Asian letters take two.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-displaywidth.String(text)))
}

// cut shortens a clean line to width columns.
func cut(text string, width int) string {
	return displaywidth.TruncateString(text, width, "…")
}

// ago tells a moment as git does with --date=relative.
func (l look) ago(unix int64) string {
	seconds := l.now.Unix() - unix
	if seconds < 0 {
		return "in the future"
	}
	for _, u := range []struct {
		unit        string
		size, until int64
	}{{"second", 1, 90}, {"minute", 60, 90 * 60}, {"hour", 3600, 36 * 3600}, {"day", 86400, 14 * 86400},
		{"week", 7 * 86400, 70 * 86400}, {"month", 30 * 86400, 365 * 86400}, {"year", 365 * 86400, 1 << 62}} {
		if seconds < u.until {
			n := (seconds + u.size/2) / u.size
			if n == 1 {
				return "1 " + u.unit + " ago"
			}
			return fmt.Sprintf("%d %ss ago", n, u.unit)
		}
	}
	return ""
}

// jsonLine writes a value as one line.
func jsonLine(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// dollars shows money in US dollars, never as nothing when it is something.
func dollars(micro gitstate.MicroUSD) string {
	if micro > 0 && micro < 10000 {
		return fmt.Sprintf("%.4f USD", float64(micro)/1e6)
	}
	return fmt.Sprintf("%.2f USD", float64(micro)/1e6)
}

// firstLine is the first line of a text that holds something, for a list.
func firstLine(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if line = oneLine(line); line != "" {
			return line
		}
	}
	return ""
}
