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
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"

	"git-flower/engine/rehearse"
)

// key is what the model wants; it opens nothing else.
const key = "sk-ant-marathon-0123456789"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "marathon:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("marathon", flag.ContinueOnError)
	seed := flags.Uint64("seed", 1, "make the run from this `number`")
	long := flags.Bool("long", false, "play the whole shape, not a slice of it")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("usage: marathon [-seed <n>] [-long] <folder>")
	}
	p := newPlan(*seed, shapeOf(*long))
	dir, err := filepath.Abs(flags.Arg(0))
	if err != nil {
		return err
	}
	began := time.Now()
	r, err := play(ctx, p, dir)
	if err != nil {
		return err
	}
	report, err := stats(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "seed %d, %d workers, %s\n\n", *seed, len(p.turns), time.Since(began).Round(time.Second))
	return table(out, p, r, report)
}

// play runs the plan in a new repository and returns what the recorder saw.
func play(ctx context.Context, p plan, dir string) (*recorder, error) {
	script, err := rehearse.Parse([]byte(p.script))
	if err != nil {
		return nil, err
	}
	server, err := rehearse.Start(ctx, script, rehearse.Config{Key: key})
	if err != nil {
		return nil, err
	}
	r, err := newRecorder(server.URL())
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	front := &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- front.Serve(listener) }()
	err = repository(ctx, dir)
	if err == nil {
		err = flower(ctx, dir, io.Discard, "http://"+listener.Addr().String(), "start", "--name", "marathon", "--timeout", "0", "--budget", "none", "--harness", "messages", "an editor")
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
	return r, err
}

// repository makes one with a few hundred files to read.
func repository(ctx context.Context, dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "lib"), 0o755); err != nil {
		return err
	}
	for i := range 260 {
		text := ""
		for line := range 40 {
			text += fmt.Sprintf("line %d of part %d, with words\n", line, i)
		}
		if err := os.WriteFile(filepath.Join(dir, "lib", fmt.Sprintf("part-%d.txt", i)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "base"}} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("git %s: %w", args[0], err)
		}
	}
	return nil
}

// flower runs the binary that is on the PATH.
func flower(ctx context.Context, dir string, out io.Writer, endpoint string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git-flower", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, os.Stderr
	cmd.Env = append(os.Environ(), "ANTHROPIC_API_KEY="+key, "ANTHROPIC_BASE_URL="+endpoint)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git flower %s: %w", args[0], err)
	}
	return nil
}
