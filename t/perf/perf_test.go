package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// The test binary stands in for the program when a child is needed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childWord {
		if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	home, err := os.MkdirTemp("", "flower-perf-test-")
	if err == nil {
		err = scrub(home)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

// small is a bench on which every contest is the warm-up alone; all checks are made.
func small(t *testing.T) *bench {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &bench{dir: t.TempDir(), self: self}
}

func TestContestTakesTurns(t *testing.T) {
	var order strings.Builder
	say := func(what string) func(int) error {
		return func(pair int) error { fmt.Fprintf(&order, "%s%d ", what, pair); return nil }
	}
	got, err := contest{ready: say("r"), ours: say("a"), other: say("b")}.run(t.Context(), 2)
	if err != nil || len(got.ours) != 2 || len(got.other) != 2 {
		t.Fatal(got, err)
	}
	if want := "r0 a0 b0 r1 b1 a1 r2 a2 b2 "; order.String() != want {
		t.Errorf("%q, want %q", order.String(), want)
	}
}

func TestContestEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	fine := func(int) error { return nil }
	for _, c := range []contest{
		{ready: func(int) error { return broken }, ours: fine, other: fine},
		{ours: func(int) error { return broken }, other: fine},
		{ours: fine, other: func(pair int) error {
			if pair == 1 {
				return broken
			}
			return nil
		}},
	} {
		if _, err := c.run(t.Context(), 3); !errors.Is(err, broken) {
			t.Error(err)
		}
	}
}

func TestRatios(t *testing.T) {
	// Pair by pair 0.5, 0.5, 0.1: a load that falls on one pair does not count.
	got := times{ours: []time.Duration{10, 500, 10}, other: []time.Duration{20, 1000, 100}}
	if got.ratio() != 0.5 || got.quickRatio() != 0.5 {
		t.Error(got.ratio(), got.quickRatio())
	}
	for _, c := range []struct {
		in   []int
		want int
	}{{nil, 0}, {[]int{7}, 7}, {[]int{9, 1}, 1}, {[]int{5, 9, 1}, 5}} {
		if got := median(c.in); got != c.want {
			t.Errorf("median of %v is %d", c.in, got)
		}
	}
	if got := lastOf([]float64{1, 2, 3, 4, 5, 6}, 3, 1); !slices.Equal(got, []float64{3, 6}) {
		t.Error(got)
	}
}

func TestRows(t *testing.T) {
	slow := versus("x", times{ours: []time.Duration{3e6}, other: []time.Duration{2e6}}, 1, "why")
	if slow.ratio != "1.50" || slow.ours != "3.00 ms" || !strings.Contains(slow.target, "MISSED") {
		t.Error(slow)
	}
	if fast := figure("x", 4.9, 5, "ms", ""); !strings.HasSuffix(fast.target, " met") {
		t.Error(fast)
	}
	var out strings.Builder
	printRows(&out, "name", []row{slow, {what: "≤ longer"}})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 || len([]rune(lines[2])) != len([]rune(lines[3])) {
		t.Errorf("%q", lines)
	}
}

func TestMachine(t *testing.T) {
	mounts := "/dev/a / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\nx /tmp/deep btrfs rw 0 0\n"
	for dir, want := range map[string]string{"/home": "ext4", "/tmp": "tmpfs", "/tmp/x": "tmpfs", "/tmpfile": "ext4", "/tmp/deep/x": "btrfs"} {
		if got := mountOf(mounts, dir); got != want {
			t.Errorf("%s is on %s", dir, got)
		}
	}
	if mb, err := peakOf("Name:\tx\nVmHWM:\t   20000 kB\n"); err != nil || mb != 20.48 {
		t.Error(mb, err)
	}
	if _, err := peakOf("Name:\tx\n"); err == nil {
		t.Error("a peak from nowhere")
	}
}

func TestParseInits(t *testing.T) {
	got := parseInits("init errors @0.1 ms, 0.25 ms clock, 0 bytes, 0 allocs\nnoise\ninit net/http @3 ms, 1.5 ms clock, 16 bytes, 1 allocs\n")
	if len(got) != 2 || got[1] != (initialisation{"net/http", 1.5}) || total(got) != 1.75 {
		t.Error(got)
	}
}

func TestSidesAreComparedByTheirFacts(t *testing.T) {
	ours, err := runsOfJSON(`{"ref":"refs/flower/run/a","id":"1","kind":"report","step":"work","round":2,"worker":"coder-1","state":"open"}
{"ref":"refs/flower/run/b","id":"2","kind":"request","state":"open"}
`)
	if err != nil {
		t.Fatal(err)
	}
	git := runsOfTrailers("refs/flower/run/a Flower-Run: 1\nFlower-Kind: report\nFlower-Step: work\nFlower-Round: 2\nFlower-Worker: coder-1\nFlower-State: ok\n\n" +
		"refs/flower/run/b Flower-Run: 2\nFlower-Kind: request\n\n")
	for ref, want := range ours {
		if git[ref] != want {
			t.Errorf("%s: %v, %v", ref, want, git[ref])
		}
	}
	if len(git) != 2 {
		t.Error(git)
	}
}

func TestUnknownGroupAndChild(t *testing.T) {
	for _, args := range [][]string{{"-only", "nothing"}, {childWord, "nothing"}, {"-no-such-flag"}} {
		if err := run(t.Context(), args, os.Stderr); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
