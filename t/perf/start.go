package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// measureStart sets the start of the product against the start of git.
func measureStart(ctx context.Context, b *bench) ([]row, error) {
	flower, git := program{name: b.flower, dir: b.dir}, program{name: "git", dir: b.dir}
	ours, err := flower.read(ctx, "", "version")
	if err != nil {
		return nil, err
	}
	other, err := git.read(ctx, "", "--version")
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(ours, "git-flower version ") || !strings.HasPrefix(other, "git version ") {
		return nil, fmt.Errorf("no versions: '%.80s', '%.80s'", ours, other)
	}
	t, err := processes(ctx, b.rounds(60), flower, []string{"version"}, git, []string{"--version"})
	if err != nil {
		return nil, err
	}
	rows := []row{versus("git-flower version", t, 6, "git: git --version")}
	inits, err := traceInits(ctx, flower)
	if err != nil {
		return rows, err
	}
	return append(rows, figure("initialisation of its packages", total(inits), 0, "ms", slowest(inits, 5))), nil
}

// An initialisation is what GODEBUG=inittrace=1 says of one package.
type initialisation struct {
	name string
	ms   float64
}

// traceInits starts the product a few times and takes the median of each package.
func traceInits(ctx context.Context, flower program) ([]initialisation, error) {
	flower.env = []string{"GODEBUG=inittrace=1"}
	all := map[string][]float64{}
	for range 9 {
		_, errs, err := flower.both(ctx, "", "version")
		if err != nil {
			return nil, err
		}
		for _, i := range parseInits(errs) {
			all[i.name] = append(all[i.name], i.ms)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no package was traced")
	}
	var inits []initialisation
	for name, values := range all {
		inits = append(inits, initialisation{name, median(values)})
	}
	slices.SortFunc(inits, func(a, b initialisation) int {
		return cmp.Or(cmp.Compare(b.ms, a.ms), cmp.Compare(a.name, b.name))
	})
	return inits, nil
}

// parseInits reads lines like "init net/http @3.1 ms, 0.10 ms clock, 4096 bytes, 42 allocs".
func parseInits(text string) []initialisation {
	var inits []initialisation
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 6 || words[0] != "init" || words[5] != "ms" {
			continue
		}
		if ms, err := strconv.ParseFloat(words[4], 64); err == nil {
			inits = append(inits, initialisation{words[1], ms})
		}
	}
	return inits
}

func total(inits []initialisation) float64 {
	sum := 0.0
	for _, i := range inits {
		sum += i.ms
	}
	return sum
}

func slowest(sorted []initialisation, n int) string {
	var parts []string
	for _, i := range sorted[:min(n, len(sorted))] {
		parts = append(parts, fmt.Sprintf("%s %.2f", i.name, i.ms))
	}
	return fmt.Sprintf("%d packages; %s", len(sorted), strings.Join(parts, ", "))
}
