package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
)

// A group is measured together. Its rows are printed when all are there.
type group struct {
	name    string
	measure func(context.Context, *bench) ([]row, error)
}

func groups() []group {
	return []group{
		{"append", measureAppend},
		{"list", measureList},
		{"start", measureStart},
		{"turn", measureTurn},
		{"store", measureStore},
		{"trees", measureTrees},
		{"demo", measureDemo},
		{"claude", measureHarnesses},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "perf:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 1 && args[0] == childWord {
		return runChild(ctx, args[1:], out)
	}
	flags := flag.NewFlagSet("perf", flag.ContinueOnError)
	only := flags.String("only", "", "measure one `group`: "+groupNames())
	long := flags.Bool("long", false, "measure four times as many rounds")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(groups(), func(g group) bool { return *only != "" && g.name != *only })
	if len(chosen) == 0 {
		return fmt.Errorf("no group '%s'; there are %s", *only, groupNames())
	}
	b, err := newBench(ctx)
	if err != nil {
		return err
	}
	if *long {
		b.factor = 4
	}
	return errors.Join(measure(ctx, b, chosen, out), b.close())
}

func groupNames() string {
	var names []string
	for _, g := range groups() {
		names = append(names, g.name)
	}
	return strings.Join(names, ", ")
}

// measure prints what could be measured and returns what could not.
func measure(ctx context.Context, b *bench, chosen []group, out io.Writer) error {
	if err := printMachine(ctx, out, b.dir); err != nil {
		return err
	}
	var failed []error
	for _, g := range chosen {
		rows, err := g.measure(ctx, b)
		if err != nil {
			failed = append(failed, fmt.Errorf("measure '%s': %w", g.name, err))
		}
		printRows(out, g.name, rows)
		if ctx.Err() != nil {
			break
		}
	}
	fmt.Fprintf(out, "\nload at the end: %s\n", loadAverage())
	return errors.Join(failed...)
}
