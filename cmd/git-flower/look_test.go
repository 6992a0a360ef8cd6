package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"git-flower/engine"
)

func TestLinesFitTheTerminal(t *testing.T) {
	long := strings.Repeat("wide 宽 ", 40)
	for _, columns := range []int{40, 60, 80, 200} {
		var out bytes.Buffer
		p := &printer{out: &out, look: look{columns: columns}}
		p.print(engine.Event{Kind: engine.EventCall, Worker: "coder-12", Tool: "Bash", Text: long})
		p.print(engine.Event{Kind: engine.EventRecord, Record: "report", Text: long, ID: strings.Repeat("a", 40)})
		lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
		if len(lines) != 2 {
			t.Fatalf("%d columns: %q", columns, lines)
		}
		for _, line := range lines {
			if w := displaywidth.String(line); w > columns || w < min(columns, 80)-4 {
				t.Errorf("%d columns: %d are used: %q", columns, w, line)
			}
		}
	}
}
