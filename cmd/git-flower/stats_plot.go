package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"git-flower/engine/economy"
)

// A plot's height in lines, its width where there is no terminal, and how wide a
// turn may be at most.
const (
	plotHeight = 8
	plotWidth  = 72
	turnWidth  = 4
)

// plot draws the main thread's context in plain characters: a column is one turn,
// or the largest of several. Between two sessions there is a gap.
func plot(l look, curves [][]economy.Point) string {
	all := slices.Concat(curves...)
	if len(all) == 0 {
		return ""
	}
	room := plotWidth
	if l.columns > 0 {
		room = l.columns
	}
	top := largest(all)
	label := len(human(top))
	bars := columnsOf(curves, max(1, room-label-3))
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\n", l.fold(plotTitle(curves), 0))
	for row := plotHeight; row > 0; row-- {
		mark := ""
		if row == plotHeight {
			mark = human(top)
		}
		line := barLine(bars, func(v int64) bool { return v*plotHeight > top*int64(row-1) }, '#')
		b.WriteString(l.clip(strings.TrimRight(fmt.Sprintf("%*s | %s", label, mark, line), " ")) + "\n")
	}
	b.WriteString(l.clip(fmt.Sprintf("%*s +-%s", label, "0", barLine(bars, func(v int64) bool { return v >= 0 }, '-'))) + "\n")
	return b.String()
}

func plotTitle(curves [][]economy.Point) string {
	return "The coordinator's context over " + turnsOf(curves) + ", in tokens"
}

// turnsOf counts the turns and, where there are several, the sessions.
func turnsOf(curves [][]economy.Point) string {
	turns := plural(len(slices.Concat(curves...)), "turn")
	if len(curves) > 1 {
		turns += fmt.Sprintf(" in %d sessions", len(curves))
	}
	return turns
}

// barLine is a line of a plot: a character where a column reaches it.
func barLine(bars []int64, reaches func(int64) bool, with byte) []byte {
	line := bytes.Repeat([]byte{' '}, len(bars))
	for i, v := range bars {
		if reaches(v) {
			line[i] = with
		}
	}
	return line
}

func largest(points []economy.Point) int64 {
	var top int64
	for _, p := range points {
		top = max(top, p.Tokens)
	}
	return max(top, 1)
}

// gap stands for a column between two sessions.
const gap = -1

// columnsOf stretches or squeezes curves to at most so many columns, a gap between
// any two; where there is no room for that, to a column for each turn.
func columnsOf(curves [][]economy.Point, room int) []int64 {
	all := slices.Concat(curves...)
	room -= len(curves) - 1
	if room < len(curves) {
		return squeezed(all, min(len(all), room+len(curves)-1))
	}
	width := min(turnWidth, room/len(all))
	var bars []int64
	for i, c := range curves {
		n := len(c) * width
		if width == 0 { // each has a column, and its part of the others
			n = min(len(c), 1+(room-len(curves))*len(c)/len(all))
		}
		if i > 0 {
			bars = append(bars, gap)
		}
		bars = append(bars, squeezed(c, n)...)
	}
	return bars
}

// squeezed are n columns, each the largest of its turns.
func squeezed(points []economy.Point, n int) []int64 {
	bars := make([]int64, n)
	for i := range bars {
		from, to := i*len(points)/n, (i+1)*len(points)/n
		bars[i] = largest(points[from:max(to, from+1)])
	}
	return bars
}

// Measures of the picture, in its own units.
const (
	pictureWidth, pictureHeight = 800, 320
	pictureLeft, pictureTop     = 70, 40
	pictureRight, pictureBottom = 780, 270
)

// picture is the curve as a self-contained SVG: no scripts, no styles or fonts
// from elsewhere, and a ground of its own. Each session is a line of its own, with
// a broken one between it and the next.
func picture(run string, curves [][]economy.Point) string {
	all := slices.Concat(curves...)
	top := largest(all)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">`+"\n", pictureWidth, pictureHeight)
	title := escaped(fmt.Sprintf("Context of the coordinator in run '%s', in tokens", sanitise(run)))
	fmt.Fprintf(&b, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", title)
	fmt.Fprintf(&b, `<text x="%d" y="24" font-size="15">%s</text>`+"\n", pictureLeft, title)
	for i := range 5 {
		y := pictureBottom - (pictureBottom-pictureTop)*i/4
		fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#ddd"/><text x="%d" y="%d" text-anchor="end">%s</text>`+"\n",
			pictureLeft, y, pictureRight, y, pictureLeft-8, y+4, human(top*int64(i)/4))
	}
	at := 0
	for i, c := range curves {
		if i > 0 { // between the last turn of one session and the first of the next
			x := acrossPicture(float64(at)-0.5, len(all))
			fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#888" stroke-dasharray="4 3"/>`+"\n", x, pictureTop, x, pictureBottom)
		}
		b.WriteString(`<polyline stroke-linecap="round" fill="none" stroke="#0b6e4f" stroke-width="2" stroke-linejoin="round" points="`)
		for _, p := range c {
			x := acrossPicture(float64(at), len(all))
			y := pictureBottom - float64(pictureBottom-pictureTop)*float64(p.Tokens)/float64(top)
			fmt.Fprintf(&b, "%.1f,%.1f ", x, y)
			if at++; len(c) == 1 { // a line needs two ends
				fmt.Fprintf(&b, "%.1f,%.1f ", x, y)
			}
		}
		b.WriteString("\"/>\n")
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d">1</text><text x="%d" y="%d" text-anchor="end">%s</text>`+"\n</svg>\n",
		pictureLeft, pictureBottom+20, pictureRight, pictureBottom+20, turnsOf(curves))
	return b.String()
}

// acrossPicture is where a turn, from 0, of so many stands.
func acrossPicture(turn float64, of int) float64 {
	return pictureLeft + (pictureRight-pictureLeft)*turn/float64(max(1, of-1))
}

// escaped is a text as SVG takes it.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
