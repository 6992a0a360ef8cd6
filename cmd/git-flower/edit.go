package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// edit opens git's editor on a file of that name in the git directory, filled
// with text, and returns what the person left there without the lines that
// begin with '#'. The file stays until the next time: a request that went wrong
// can be found again.
func (e *Env) edit(ctx context.Context, name, text string) (string, error) {
	store, err := e.Store(ctx)
	if err != nil {
		return "", err
	}
	file := filepath.Join(store.Layout().GitDir, name)
	text, err = e.edited(ctx, file, text)
	return withoutComments(text), err
}

// edited opens git's editor on a file with that text and returns what the person
// left there.
func (e *Env) edited(ctx context.Context, file, text string) (string, error) {
	editor, err := e.git().Line(ctx, "var", "GIT_EDITOR")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", err
	}
	e.trace.printf("editor: %s %s", editor, file)
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$@"`, editor, file)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = e.Dir, e.In, e.Out, e.Err
	e.editing.Store(true)
	defer e.editing.Store(false)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("editor '%s': %w", editor, err)
	}
	data, err := os.ReadFile(file)
	return string(data), err
}

// withoutComments drops the lines that begin with '#' and the blank lines around
// what is left.
func withoutComments(text string) string {
	var kept []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if !strings.HasPrefix(line, "#") {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}
