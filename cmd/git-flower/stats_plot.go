package main

import (
	"encoding/xml"
	"fmt"
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
// or the largest of several.
func plot(l look, curves [][]economy.Point) string {
	var all []economy.Point
	for _, c := range curves {
		all = append(all, c...)
	}
	if len(all) == 0 {
		return ""
	}
	columns := plotWidth
	if l.columns > 0 {
		columns = l.columns
	}
	top := largest(all)
	label := len(human(top))
	bars := columnsOf(all, max(1, columns-label-3))
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe coordinator's context over %s, in tokens\n\n", plural(len(all), "turn"))
	for row := plotHeight; row > 0; row-- {
		mark := ""
		if row == plotHeight {
			mark = human(top)
		}
		line := make([]byte, len(bars))
		for i, v := range bars {
			line[i] = ' '
			if v*plotHeight > top*int64(row-1) {
				line[i] = '#'
			}
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%*s | %s", label, mark, line), " ") + "\n")
	}
	fmt.Fprintf(&b, "%*s +%s\n", label, "0", strings.Repeat("-", len(bars)+1))
	return l.clip(b.String())
}

func largest(points []economy.Point) int64 {
	var top int64
	for _, p := range points {
		top = max(top, p.Tokens)
	}
	return max(top, 1)
}

// columnsOf stretches or squeezes a curve to at most so many columns.
func columnsOf(points []economy.Point, room int) []int64 {
	n := min(room, len(points)*max(1, min(turnWidth, room/len(points))))
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
// from elsewhere. Each session is a line of its own.
func picture(run string, curves [][]economy.Point) string {
	var all []economy.Point
	for _, c := range curves {
		all = append(all, c...)
	}
	top := largest(all)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">`+"\n", pictureWidth, pictureHeight)
	title := escaped(fmt.Sprintf("Context of the coordinator in run '%s'", sanitise(run)))
	fmt.Fprintf(&b, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", title)
	fmt.Fprintf(&b, `<text x="%d" y="24" font-size="15">%s</text>`+"\n", pictureLeft, title)
	for i := range 5 {
		y := pictureBottom - (pictureBottom-pictureTop)*i/4
		fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#ddd"/><text x="%d" y="%d" text-anchor="end">%s</text>`+"\n",
			pictureLeft, y, pictureRight, y, pictureLeft-8, y+4, human(top*int64(i)/4))
	}
	at := 0
	for _, c := range curves {
		b.WriteString(`<polyline stroke-linecap="round" fill="none" stroke="#0b6e4f" stroke-width="2" stroke-linejoin="round" points="`)
		for _, p := range c {
			x := pictureLeft + float64(pictureRight-pictureLeft)*float64(at)/float64(max(1, len(all)-1))
			y := pictureBottom - float64(pictureBottom-pictureTop)*float64(p.Tokens)/float64(top)
			fmt.Fprintf(&b, "%.1f,%.1f ", x, y)
			if at++; len(c) == 1 { // a line needs two ends
				fmt.Fprintf(&b, "%.1f,%.1f ", x, y)
			}
		}
		b.WriteString("\"/>\n")
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d">1</text><text x="%d" y="%d" text-anchor="end">%d turns</text>`+"\n</svg>\n",
		pictureLeft, pictureBottom+20, pictureRight, pictureBottom+20, len(all))
	return b.String()
}

// escaped is a text as SVG takes it.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
