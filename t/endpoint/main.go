// Command endpoint plays a rehearsal script as a Messages API of its own, for
// tests of the way to a real endpoint: endpoint <key> <script> <file for the URL>.
// It serves until it is killed.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"git-flower/engine/rehearse"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "endpoint:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: endpoint <key> <script> <file>")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	text, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	script, err := rehearse.Parse(text)
	if err != nil {
		return err
	}
	server, err := rehearse.Start(ctx, script, rehearse.Config{Key: args[0]})
	if err != nil {
		return err
	}
	// A reader that waits for the file must not see half of it.
	if err := os.WriteFile(args[2]+".new", []byte(server.URL()+"\n"), 0o644); err != nil {
		return err
	}
	if err := os.Rename(args[2]+".new", args[2]); err != nil {
		return err
	}
	<-ctx.Done()
	return server.Close()
}
