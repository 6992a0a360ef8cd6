package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestFsckOfWholeRuns(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.expect(0, "fsck")
	s := d.begin("one", "One", false)
	s.verdict(s.goal(), 1, true)
	s.join("f", "x\n")
	s.end("reached")
	d.begin("two", "Two", false)
	for _, words := range [][]string{{"fsck"}, {"fsck", "one", "tw"}} {
		d.expect(0, words...)
		if d.out.Len()+d.err.Len() > 0 {
			t.Errorf("%q: %s%s", words, d.out.String(), d.err.String())
		}
	}
	d.expect(128, "fsck", "nothing")
	if got := d.git("fsck", "--strict"); strings.Contains(got, "error") {
		t.Errorf("git itself finds %s", got)
	}
}

func TestFsckOfADamagedRun(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.begin("whole", "Whole", false)
	s := d.begin("bent", "Bent", false)
	s.end("reached")
	// The same tree under a message that is not in the one encoding.
	body := strings.Replace(d.git("log", "-1", "--format=%B", "refs/flower/run/bent"), "Flower-Kind", "Flower-Sort", 1)
	bent := d.git("commit-tree", "-p", string(s.run.History().Tip)+"^", "-m", body, "refs/flower/run/bent^{tree}")
	d.git("update-ref", "refs/flower/run/bent", bent)
	d.expect(1, "fsck")
	if !regexp.MustCompile(`(?m)^bent [0-9a-f]{40} P\d+: .`).MatchString(d.out.String()) || strings.Contains(d.out.String(), "whole") {
		t.Errorf("printed\n%s", d.out.String())
	}
	has(t, d.err.String(), "problems in the records", "hint: ")
	d.expect(0, "fsck", "whole")
}

func TestCanonicalHistoriesCanBeCompared(t *testing.T) {
	tell := func(name string) string {
		d := newDesk(t)
		d.repository()
		s := d.begin(name, "The same", false)
		s.goal()
		s.end("reached")
		d.expect(0, "fsck", "--canonical")
		return d.out.String()
	}
	first := tell("one")
	if second := tell("one"); first == "" || first != second {
		t.Errorf("the same story is told as\n%s\nand as\n%s", first, second)
	}
}
