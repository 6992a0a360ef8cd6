package messages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"git-flower/engine/harness"
	"git-flower/worktree/process"
)

const bashOutputAbout = `Shows what a background shell has printed since the last time, and whether it is still running.
filter is a regular expression: only lines that match it are shown, and the others are gone.
Output over 30000 characters loses its beginning.`

const bashOutputSchema = `{"type":"object","properties":{` +
	`"bash_id":{"type":"string","description":"the shell, as Bash named it"},` +
	`"filter":{"type":"string","description":"a regular expression that lines must match"}},` +
	`"required":["bash_id"]}`

const killShellAbout = `Ends a background shell and everything it started. What it printed until then can still be read with BashOutput.`

const killShellSchema = `{"type":"object","properties":{` +
	`"shell_id":{"type":"string","description":"the shell, as Bash named it"}},` +
	`"required":["shell_id"]}`

type bashOutputInput struct {
	ID     string `json:"bash_id"`
	Filter string `json:"filter"`
}

type killShellInput struct {
	ID string `json:"shell_id"`
}

// background is Bash with run_in_background.
func (s *shell) background(ctx context.Context, script string) (harness.Result, error) {
	if !s.mayLeave {
		return harness.Result{}, errors.New("nothing can be run in the background here: run it without run_in_background")
	}
	if err := ctx.Err(); err != nil {
		return harness.Result{}, err
	}
	b, err := s.shells.begin(ctx, process.Command{Script: script, Shell: process.Bash(), Dir: s.dir, Env: s.env, Fence: s.fence})
	if err != nil {
		return harness.Result{}, err
	}
	return text(fmt.Sprintf("The command is running in the background as shell '%s'. "+
		"Read what it prints with BashOutput; end it with KillShell.", b.id()))
}

func (s *shells) killShell(_ context.Context, in killShellInput) (harness.Result, error) {
	b, err := s.find(in.ID)
	if err != nil {
		return harness.Result{}, err
	}
	before, err := s.kill(b)
	if err != nil {
		return harness.Result{}, fmt.Errorf("end shell '%s': %w", in.ID, err)
	}
	if before != "is running" {
		return text(fmt.Sprintf("(%s %s already)", b.id(), before))
	}
	return text(fmt.Sprintf("%s was killed with everything it started.", b.id()))
}

func (s *shells) output(_ context.Context, in bashOutputInput) (harness.Result, error) {
	b, err := s.find(in.ID)
	if err != nil {
		return harness.Result{}, err
	}
	keep, err := regexp.Compile(in.Filter)
	if err != nil {
		return harness.Result{}, fmt.Errorf("filter '%s': %w", head(in.Filter, 200), err)
	}
	s.mu.Lock()
	state := b.state() // before the output: of a shell that has ended all is there
	s.mu.Unlock()
	out, lost := b.news(state != "is running", in.Filter != "")
	if in.Filter != "" {
		out = matching(out, keep)
	}
	out, cut := newest(out, bashOutput)
	var t strings.Builder
	if lost+cut > 0 {
		fmt.Fprintf(&t, "[… %d bytes before this are left out …]\n", lost+cut)
	}
	t.Write(out)
	if len(out) == 0 {
		t.WriteString("(nothing new)")
	}
	return text(fmt.Sprintf("%s\n(%s %s)", strings.TrimRight(t.String(), "\n"), b.id(), state))
}

// news is the output that was not read yet, and how much of it is lost. While
// more may come, a line that is not complete waits where lines are wanted, and
// a character that is not complete always does.
func (b *backShell) news(all, lines bool) (out []byte, lost int64) {
	b.reading.Lock()
	defer b.reading.Unlock()
	out, from := b.Since(b.read)
	lost = from - b.read
	if !all && lines {
		out = out[:bytes.LastIndexByte(out, '\n')+1]
	} else if !all {
		out = wholeCharacters(out)
	}
	b.read = from + int64(len(out))
	return out, lost
}

// wholeCharacters leaves out a character at the end that is not complete.
func wholeCharacters(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if last := b[len(b)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// matching are the lines that match.
func matching(out []byte, keep *regexp.Regexp) []byte {
	var kept []byte
	for line := range bytes.Lines(out) {
		if keep.Match(bytes.TrimRight(line, "\r\n")) {
			kept = append(kept, line...)
		}
	}
	return kept
}

// newest is the end of out, and how much is left out before it.
func newest(out []byte, limit int) ([]byte, int64) {
	if len(out) <= limit {
		return out, 0
	}
	cut := len(out) - limit
	for cut < len(out) && !utf8.RuneStart(out[cut]) {
		cut++
	}
	return out[cut:], int64(cut)
}
