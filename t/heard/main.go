// Command heard prints what reached sessions from outside, for tests of whose words
// arrive where: heard <transcripts> <session>... Each line has the kind before it,
// 'said' for text of a message and 'result' for a tool's.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"git-flower/engine/session"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "heard:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("usage: heard <transcripts> <session> [<session>]")
	}
	store, err := session.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer store.Close()
	for _, id := range args[1:] {
		entries, err := store.Load(ctx, id)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := tell(e); err != nil {
				return err
			}
		}
	}
	return nil
}

type block struct {
	Type, Text string
	Content    json.RawMessage
}

func tell(entry json.RawMessage) error {
	var e struct {
		Type    string
		Message struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(entry, &e); err != nil {
		return err
	}
	if e.Message.Role != "user" {
		return nil
	}
	return each("said", e.Message.Content)
}

// each prints content, which is a text or blocks, of which those of results have
// content in turn.
func each(kind string, content json.RawMessage) error {
	var text string
	if json.Unmarshal(content, &text) == nil {
		for line := range strings.SplitSeq(text, "\n") {
			fmt.Println(kind + "\t" + line)
		}
		return nil
	}
	var blocks []block
	if err := json.Unmarshal(content, &blocks); err != nil {
		return err
	}
	for _, b := range blocks {
		next, of := kind, b.Content
		if b.Type == "tool_result" {
			next = "result"
		}
		if b.Type == "text" {
			of, _ = json.Marshal(b.Text)
		}
		if len(of) == 0 {
			continue
		}
		if err := each(next, of); err != nil {
			return err
		}
	}
	return nil
}
