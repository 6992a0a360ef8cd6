package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxRequest is the largest record's size (design: a record adds a few KB).
const maxRequest = 64 << 10

// givenRequest is the request as it was given: in words, in a file or on
// standard input. It is empty where it is still to be written in the editor.
func (e *Env) givenRequest(ctx context.Context, c *call) (string, error) {
	text, given, err := e.words(ctx, c, c.args)
	if given || err != nil || e.InTerminal {
		return text, err
	}
	return e.readWords(ctx, c, "-")
}

// words are what a command was given to say: args, a file, or standard input for
// "-". given is false where there is none of them.
func (e *Env) words(ctx context.Context, c *call, args []string) (text string, given bool, err error) {
	switch {
	case len(args) > 0 && c.given("file"):
		return "", false, c.usagef("words are given as arguments or with -F, not both")
	case len(args) == 1 && args[0] == "-":
		text, err = e.readWords(ctx, c, "-")
	case len(args) > 0:
		text, err = sized(c, strings.Join(args, " "))
	case c.given("file"):
		text, err = e.readWords(ctx, c, c.text("file"))
	default:
		return "", false, nil
	}
	return text, true, err
}

// readWords reads a file, or standard input for "-", and no more of it than
// shows that it is too long.
func (e *Env) readWords(ctx context.Context, c *call, file string) (string, error) {
	var text string
	var err error
	if file == "-" {
		text, err = e.readInput(ctx, maxRequest)
	} else {
		text, err = readStart(e.path(file), maxRequest+1)
	}
	if err != nil {
		return "", endf(endFatal, "give the words as arguments, or name a file that can be read with -F", "read the words: %w", err)
	}
	return sized(c, text)
}

func readStart(file string, limit int64) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit))
	return string(data), err
}

func sized(c *call, text string) (string, error) {
	if len(text) > maxRequest {
		return "", endf(endUsage, "put the material into a file of the repository and name it in the words", "the words are longer than %d KiB", maxRequest>>10)
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", c.usagef("the words are empty")
	}
	return text, nil
}

// requestFile is where the editor leaves the request, in the git directory.
const requestFile = "FLOWER_REQUEST"

// editRequest has the person write the request in git's editor.
func (e *Env) editRequest(ctx context.Context) (string, error) {
	text, err := e.edit(ctx, requestFile, "\n# Write what is to be done. Lines that begin with '#' are left out; an empty\n# request begins nothing.\n")
	if err != nil {
		return "", endf(endFatal, "\"git flower start <request>\" and \"git flower start -F <file>\" need no editor", "nothing was begun: %w", err)
	}
	if text == "" {
		return "", endf(endNo, "\"git flower start <request>\" takes the words from the command line", "the request is empty, so nothing was begun")
	}
	if len(text) > maxRequest {
		return "", endf(endFatal, fmt.Sprintf("what you wrote is in the git directory's %s; put the material into a file of the repository and name it in the request", requestFile),
			"the request is longer than %d KiB", maxRequest>>10)
	}
	return text, nil
}
