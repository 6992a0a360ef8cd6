package main

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// maxRequest is the largest record's size (design: a record adds a few KB).
const maxRequest = 64 << 10

// givenRequest is the request as it was given: in words, in a file or on
// standard input. It is empty where it is still to be written in the editor.
func (e *Env) givenRequest(ctx context.Context, c *call) (string, error) {
	file := c.text("file")
	switch {
	case len(c.args) > 0 && file != "":
		return "", c.usagef("a request is given in words or with -F, not both")
	case len(c.args) == 1 && c.args[0] == "-":
		file = "-"
	case len(c.args) > 0:
		return sizedRequest(c, strings.Join(c.args, " "))
	case c.given("file"):
	case e.InTerminal:
		return "", nil
	default:
		file = "-"
	}
	var text string
	var err error
	if file == "-" {
		text, err = e.readInput(ctx, maxRequest)
	} else {
		var data []byte
		data, err = os.ReadFile(e.path(file))
		text = string(data)
	}
	if err != nil {
		return "", endf(endFatal, `give the request in words, or name a file that can be read with -F`, "read the request: %w", err)
	}
	return sizedRequest(c, text)
}

func sizedRequest(c *call, text string) (string, error) {
	if len(text) > maxRequest {
		return "", endf(endFatal, "put the material into a file of the repository and name it in the request", "the request is longer than %d KiB", maxRequest>>10)
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", c.usagef("the request is empty")
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
