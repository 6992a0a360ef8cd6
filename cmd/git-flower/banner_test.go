package main

import (
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
)

// row is the row of a start's banner with that label; empty where there is none.
func (d *desk) row(label string) string {
	for line := range strings.SplitSeq(d.out.String(), "\n") {
		if text, ok := strings.CutPrefix(line, "  "+pad(label, bannerIndent-2)); ok {
			return text
		}
	}
	return ""
}

func TestBannerOfARehearsal(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.atTerminal("", "start", "--rehearse", "--name", "one", "--budget", "5", "--timeout", "1s", "do it")
	if talk := d.row("talk"); talk == "" || bannerIndent+displaywidth.String(talk) > 80 {
		t.Errorf("the row is too long, or there is none: %q", talk)
	}
	has(t, d.row("budget"), "5.00 USD", "at list prices")
	d.expect(0, "start", "--new", "--rehearse", "--budget", "none", "--timeout", "0", "do that")
	if got := d.row("budget"); got != "no limit" {
		t.Errorf("%q", got)
	}
}

func TestResumeOfAnEndedRunShowsNoBanner(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.expect(0, "start", "--rehearse", "--name", "one", "--timeout", "0", "do it")
	if d.row("model") == "" {
		t.Fatalf("no banner:\n%s", d.out.String())
	}
	d.expect(0, "resume", "--timeout", "0", "one")
	has(t, d.out.String(), "run one: reached", "git flower land --rehearsed one")
	if d.row("model") != "" || d.row("budget") != "" {
		t.Errorf("a banner, though nothing runs:\n%s", d.out.String())
	}
	d.run("resume", "--timeout", "0", "-m", "and that", "one")
	has(t, d.row("budget"), "is spent", "at list prices")
	has(t, d.out.String(), "another round costs about", "by 2 rounds so far")
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 30 * time.Minute: "30m", 10 * time.Second: "10s", 2 * time.Hour: "2h",
		90 * time.Minute: "1h30m", 90 * time.Second: "1m30s", time.Hour + time.Second: "1h0m1s", 10 * time.Hour: "10h"} {
		if got := span(d); got != want {
			t.Errorf("%d: %q, want %q", d, got, want)
		}
	}
}
