// Command endpoint plays a rehearsal script as a Messages API of its own, for
// tests of the way to a real endpoint: endpoint <key> <script> <file for the URL>
// [<file for the requests>]. The bodies of requests are kept, a line each. It serves
// until it is killed.
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
	if len(args) != 3 && len(args) != 4 {
		return fmt.Errorf("usage: endpoint <key> <script> <file> [<requests>]")
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
	config := rehearse.Config{Key: args[0]}
	if len(args) == 4 {
		f, err := os.OpenFile(args[3], os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		// One write each, so that lines do not mix. What cannot be kept is missed by the test.
		config.Log = func(x rehearse.Exchange) { _, _ = f.Write(append(x.Body, '\n')) }
	}
	server, err := rehearse.Start(ctx, script, config)
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
