package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"git-flower/engine/rehearse"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "marathon:", err)
		os.Exit(1)
	}
}

const usageLine = "usage: marathon [-seed <n>] [-long] [-harness messages|claude] <folder>"

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("marathon", flag.ContinueOnError)
	seed := flags.Uint64("seed", 1, "make the run from this `number`")
	long := flags.Bool("long", false, "play the whole shape, not a slice of it")
	in := flags.String("harness", "messages", "where the sessions run: `messages` or claude")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	h, known := harnesses[*in]
	if flags.NArg() != 1 || !known {
		return errors.New(usageLine)
	}
	dir, err := filepath.Abs(flags.Arg(0))
	if err != nil {
		return err
	}
	s := h.slice
	if *long {
		s = whole
	}
	p := newPlan(*seed, s, h.begins)
	began := time.Now()
	d, err := play(ctx, p, dir, *in)
	if err != nil {
		return err
	}
	report, err := stats(ctx, dir)
	if err != nil {
		return err
	}
	changes := result(ctx, dir, d.r)
	fmt.Fprintf(out, "seed %d, %d workers, %s, %s\n\n", *seed, p.workers, *in, time.Since(began).Round(time.Second))
	return errors.Join(table(out, p, d, report, changes), checks(h, d, report, changes))
}

// play runs the plan in a new repository.
func play(ctx context.Context, p plan, dir, harness string) (*driver, error) {
	script, err := rehearse.Parse([]byte(p.script))
	if err != nil {
		return nil, err
	}
	server, err := rehearse.Start(ctx, script, rehearse.Config{Key: key})
	if err != nil {
		return nil, err
	}
	r, err := newRecorder(server.URL(), harnesses[harness].lag)
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	d := &driver{dir: dir, endpoint: "http://" + listener.Addr().String(), harness: harness, r: r, kills: p.kills}
	r.at = d.at
	front := &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- front.Serve(listener) }()
	err = repository(ctx, dir, d.endpoint, p.windows)
	if err == nil {
		err = d.run(ctx)
	}
	if problems := server.Problems(); len(problems) > 0 {
		err = errors.Join(err, fmt.Errorf("the script: %.300s", problems[0]))
	}
	if refusals := server.Refusals(); len(refusals) > 0 {
		err = errors.Join(err, fmt.Errorf("refused: %.300s", refusals[0]))
	}
	err = errors.Join(err, front.Close(), server.Close())
	if closed := <-served; !errors.Is(closed, http.ErrServerClosed) {
		err = errors.Join(err, closed)
	}
	return d, err
}

// A harness is what of a plan depends on where the sessions run: by how many tokens
// more than with our own loop contexts begin (measured), and how large a slice is. The
// CLI is a process for each session and takes seconds to start.
type harness struct {
	begins map[string]int64 // by model
	slice  shape
	stores bool // all that it sends is in its transcripts
	// lag is how many of a session's newest answers a kill may cost. Our own loop stores
	// each before the next request; Claude Code mirrors its transcript beside that, and
	// a kill was seen to cost it one answer more, with its results.
	lag int
}

var harnesses = map[string]harness{
	"messages": {slice: shape{workers: 4, calls: 80, coordinator: 40, outages: 1, kills: 1, full: 13_000}, stores: true, lag: 1},
	"claude": {begins: map[string]int64{mainModel: 1_500, workerModel: 4_000},
		slice: shape{workers: 3, calls: 45, coordinator: 28, outages: 1, kills: 1, full: 10_500}, lag: 2},
}
