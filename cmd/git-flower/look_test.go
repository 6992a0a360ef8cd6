package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"

	"git-flower/engine"
	"git-flower/gitstate"
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

func TestTablesFillTheTerminalAndNoMore(t *testing.T) {
	long := strings.Repeat("wide 宽 ", 40)
	rows := []runSummary{
		{Name: "a-name-of-thirty-two-characters-x", State: stateRunning, Step: "work", Round: 12, Kind: "report", Subject: long, Time: noon.Unix() - 100},
		{Name: "b", State: "reached", Kind: "end", Subject: "reached", Time: noon.Unix()},
	}
	entry := gitstate.Entry{Commit: gitstate.ObjectID(strings.Repeat("a", 40)), Kind: gitstate.KindAmendment, Subject: long, Unix: noon.Unix()}
	for _, columns := range []int{0, 80, 100, 200} {
		l := look{columns: columns, now: noon}
		var log bytes.Buffer
		if err := (entryPrinter{look: l}).print(&log, entry); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{statusTable(l, rows), log.String()} {
			line, _, _ := strings.Cut(table, "\n")
			if w := displaywidth.String(line); columns > 0 && (w > columns || w < columns-1) || !strings.HasSuffix(line, "…") {
				t.Errorf("%d columns: %d are used: %q", columns, w, line)
			}
		}
	}
}

func TestFoldedTextFitsAndLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching("[a-z-]{1,12}|[宽广的]{1,30}。?|--[a-z]{1,9}")).Draw(t, "words")
		indent := rapid.IntRange(0, 14).Draw(t, "indent")
		l := look{columns: rapid.IntRange(indent+leastRoom, 90).Draw(t, "columns")}
		text := strings.Join(words, " ")
		lines := strings.Split(l.fold(text, indent), "\n")
		for i, line := range lines {
			if i > 0 && !strings.HasPrefix(line, strings.Repeat(" ", indent)) {
				t.Errorf("not indented: %q", line)
			}
			lines[i] = strings.TrimPrefix(line, strings.Repeat(" ", indent))
			if i > 0 {
				line = lines[i]
			}
			if displaywidth.String(line) > l.columns-indent {
				t.Errorf("%d columns, %d indented: %q", l.columns, indent, line)
			}
		}
		bare := strings.NewReplacer(" ", "")
		if got := bare.Replace(strings.Join(lines, "")); got != bare.Replace(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func TestFoldBreaksBetweenWordsOnly(t *testing.T) {
	for _, c := range []struct {
		columns int
		text    string
		want    string
	}{
		{30, "a word, --an-option and more words", "a word, --an-option\n          and more words"},
		{30, "it is here: /a/long/path/that/has/no/blank and so on", "it is here:\n          /a/long/path/that/has/no/blank\n          and so on"},
		{30, "中文没有空格所以每个字后面都可以换行。是的", "中文没有空格所以每个\n          字后面都可以换行。是\n          的"},
		{30, "  - indented", "  - indented"},
		{0, "never folded where there is no terminal at all", "never folded where there is no terminal at all"},
		{29, "too narrow to fold anything at all", "too narrow to fold anything at all"},
		{80, "one\ntwo", "one\n          two"},
		{80, "", ""},
	} {
		if got := (look{columns: c.columns}).fold(c.text, 10); got != c.want {
			t.Errorf("%q is\n%q, want\n%q", c.text, got, c.want)
		}
	}
}

func TestClipCutsLines(t *testing.T) {
	for _, c := range []struct {
		columns    int
		text, want string
	}{{0, "a long line\nb", "a long line\nb"}, {6, "a long line\nb\n", "a lon…\nb\n"}, {6, "宽宽宽宽", "宽宽…"}, {6, "", ""}} {
		if got := (look{columns: c.columns}).clip(c.text); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.columns, got, c.want)
		}
	}
}

func TestProseHangsBehindSpeakerAndMark(t *testing.T) {
	var out bytes.Buffer
	p := &printer{out: &out, look: look{columns: 40}, person: here}
	p.print(engine.Event{Kind: engine.EventText, Role: "clarifier", Text: "I look at what there is before I ask a thing."})
	p.print(engine.Event{Kind: engine.EventAsk, Role: "clarifier", ID: "questions/0003-x.md", Text: "Who is it for, and who is to read it?", State: "let it decide"})
	p.print(engine.Event{Kind: engine.EventEnd, State: "paused"})
	want := "clarifier   I look at what there is\n            before I ask a thing.\n            ? Who is it for, and who is\n              to read it?\n"
	rest, ok := strings.CutPrefix(out.String(), want)
	if !ok || !strings.HasSuffix(rest, "> \n") {
		t.Errorf("%q, want at first %q and a prompt that ends", out.String(), want)
	}
}
