package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shown are the trailers that status shows of a run.
var shown = []string{"Flower-Run", "Flower-Kind", "Flower-Step", "Flower-Round", "Flower-Worker", "Flower-State"}

// measureList sets status and log against git printing the same trailers, with
// few runs and with many in the repository, all refs packed.
func measureList(ctx context.Context, b *bench) ([]row, error) {
	var rows []row
	for _, n := range []int{10, 1000, 10000} {
		dir, err := manyRuns(ctx, b, n)
		if err != nil {
			return rows, err
		}
		l := lister{n: n, flower: program{name: b.flower, dir: dir}, git: program{name: "git", dir: dir}}
		more, err := l.rows(ctx, b)
		rows = append(rows, more...)
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// A lister compares in one repository with n runs.
type lister struct {
	n           int
	flower, git program
}

func (l lister) rows(ctx context.Context, b *bench) ([]row, error) {
	if err := l.check(ctx); err != nil {
		return nil, err
	}
	each := forEachRef()
	var rows []row
	for _, c := range []struct {
		what         string
		ours, others []string
		target       float64
		note         string
	}{
		{"status", []string{"status"}, each, 1, "git: for-each-ref, the same trailers of every run"},
		{"status --json", []string{"status", "--json"}, each, 0, "git: the same"},
		{"log", []string{"log", runName}, each, 1, fmt.Sprintf("ours: %d records of one run; git: for-each-ref as above", priorCount)},
		{"log", []string{"log", runName}, logOfGit(), 0, "git: log of the same run, the same records and trailers"},
	} {
		t, err := processes(ctx, b.rounds(rounds(l.n)), l.flower, c.ours, l.git, c.others)
		if err != nil {
			return rows, err
		}
		rows = append(rows, versus(fmt.Sprintf("%s, %d runs", c.what, l.n), t, c.target, c.note))
	}
	return rows, nil
}

// rounds is how many pairs a repository of n runs is worth.
func rounds(n int) int {
	if n < 10000 {
		return 30
	}
	return 12
}

// processes sets two processes against each other, from start to end.
func processes(ctx context.Context, pairs int, ours program, oursArgs []string, other program, otherArgs []string) (times, error) {
	return contest{
		ours:  func(int) error { _, err := ours.read(ctx, "", oursArgs...); return err },
		other: func(int) error { _, err := other.read(ctx, "", otherArgs...); return err },
	}.run(ctx, pairs)
}

func forEachRef() []string {
	return []string{"for-each-ref", "--format=%(refname) " + trailers("contents:trailers:"), "refs/flower/run/"}
}

func logOfGit() []string {
	return []string{"log", "--format=%h %cr %s%n" + trailers("trailers:"), runRef, "--"}
}

// trailers is git's placeholder for what status shows. In for-each-ref it is
// called otherwise than in log.
func trailers(name string) string {
	keys := "key=" + strings.Join(shown, ",key=")
	return "%(" + name + keys + ",unfold)"
}

// check makes sure that both sides read the same: as many runs, each with the
// same values; as many records.
func (l lister) check(ctx context.Context) error {
	ours, err := l.flower.read(ctx, "", "status", "--json")
	if err != nil {
		return err
	}
	git, err := l.git.read(ctx, "", forEachRef()...)
	if err != nil {
		return err
	}
	a, err := runsOfJSON(ours)
	if err != nil {
		return err
	}
	b := runsOfTrailers(git)
	if len(a) != l.n || !maps.Equal(a, b) {
		return fmt.Errorf("of %d runs we read %d and git %d, or they differ: ours '%.300s', git's '%.300s'", l.n, len(a), len(b), ours, git)
	}
	return l.checkLines(ctx)
}

// checkLines looks at what is timed: a line for each run, a line for each record.
func (l lister) checkLines(ctx context.Context) error {
	status, err := l.flower.read(ctx, "", "status")
	if err != nil {
		return err
	}
	table, _, _ := strings.Cut(status, "\n\n")
	ours, err := l.flower.read(ctx, "", "log", runName)
	if err != nil {
		return err
	}
	git, err := l.git.read(ctx, "", logOfGit()...)
	if err != nil {
		return err
	}
	got := []int{strings.Count(table+"\n", "\n"), strings.Count(ours, "\n"), strings.Count(git, "Flower-Kind: ")}
	if want := []int{l.n, priorCount, priorCount}; !slices.Equal(got, want) {
		return fmt.Errorf("status, log and git log have %v lines, not %v", got, want)
	}
	return nil
}

// facts are a run's values of what is shown, in that order. What our JSON calls
// state is computed, so the trailer is left out of the comparison.
type facts [5]string

func runsOfJSON(text string) (map[string]facts, error) {
	runs := map[string]facts{}
	for line := range strings.Lines(text) {
		var r struct {
			Ref, ID, Kind, Step, Worker string
			Round                       int
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, fmt.Errorf("read status --json: %w", err)
		}
		round := fmt.Sprint(r.Round)
		if r.Round == 0 {
			round = ""
		}
		runs[r.Ref] = facts{r.ID, r.Kind, r.Step, round, r.Worker}
	}
	return runs, nil
}

func runsOfTrailers(text string) map[string]facts {
	runs := map[string]facts{}
	var ref string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "refs/") {
			ref, line, _ = strings.Cut(line, " ")
		}
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if i := slices.Index(shown, key); i >= 0 && i < len(facts{}) {
			f := runs[ref]
			f[i] = value
			runs[ref] = f
		}
	}
	return runs
}
