package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"git-flower/engine"
	"git-flower/guards"
)

// longestEntry is how many bytes of an entry on standard input are kept; what is
// longer is refused anyway.
const longestEntry = 1 << 20

func guardCommand() *command {
	return &command{
		name: "guard", group: plumbing, summary: "tell what the guards decide",
		synopsis: []string{"glance [-z]", "call"},
		prose: `
Reads what a model might want to do from standard input, and prints for each
entry what the guards say. Nothing of it is run. Answers come as fast as entries
do, so that a corpus of any size can be played against the guards.

"glance" reads shell commands, one a line, or with -z each ended by NUL. It
prints one line for each: "yes" when the command only looks, so that a
coordinator may run it, and its result goes stale; else "no", a tab, and the
reason that the model is given.

"call" reads tool calls, a JSON object a line with role, agent, tool, input and
dir (the current directory when left out), and prints the decision as a JSON
object: allow; reason, when it is refused; input, when it may be called with
another one only. What is no such object is refused. Paths are followed to where
they lead, as in a session; what only a run has is not known: its bench, files
that the person has opened, and calls that were made before.`,
		options: []option{{long: "null", short: "z", text: "commands end with NUL instead of newline"}},
		exits:   exits(),
		args:    1,
		run:     runGuard,
	}
}

func runGuard(ctx context.Context, env *Env, c *call) error {
	end := byte('\n')
	if c.is("null") {
		end = 0
	}
	switch what := c.arg(0); {
	case what == "glance":
		return eachEntry(ctx, env, end, glanceLine)
	case what == "call" && c.is("null"):
		return c.usagef("option '--null' is for 'glance': calls are JSON, one a line")
	case what == "call":
		return eachEntry(ctx, env, end, func(entry string) (string, error) { return callLine(entry, env.Dir) })
	case what == "":
		return c.usagef("say what to judge: 'glance' or 'call'")
	default:
		return c.usagef("'%s' is not judged, only 'glance' or 'call'", what)
	}
}

// eachEntry answers every entry with a line. What was answered is printed before
// it waits for more.
func eachEntry(ctx context.Context, env *Env, end byte, answer func(string) (string, error)) error {
	in, out := bufio.NewReaderSize(env.In, 1<<16), bufio.NewWriterSize(env.Out, 1<<16)
	for {
		entry, err := readEntry(in, end)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read standard input: %w", err)
		}
		if err != nil && entry == "" {
			return out.Flush()
		}
		line, failed := answer(entry)
		if failed != nil {
			return failed
		}
		if _, err := out.WriteString(line + "\n"); err != nil {
			return err
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return errors.Join(out.Flush(), context.Cause(ctx))
		}
	}
}

// readEntry reads to the end of an entry, and keeps a byte more than
// longestEntry of it at most.
func readEntry(in *bufio.Reader, end byte) (string, error) {
	var entry []byte
	for {
		piece, err := in.ReadSlice(end)
		if room := longestEntry + 1 - len(entry); room > 0 {
			entry = append(entry, piece[:min(room, len(piece))]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if n := len(entry); err == nil && n > 0 && entry[n-1] == end {
			entry = entry[:n-1]
		}
		return string(entry), err
	}
}

func glanceLine(command string) (string, error) {
	_, ok, reason := guards.Glance(command)
	if ok {
		return "yes", nil
	}
	return "no\t" + oneLine(reason), nil
}

// A judgedCall is a tool call as "guard call" reads it.
type judgedCall struct {
	Role  string          `json:"role"`
	Agent string          `json:"agent"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	Dir   string          `json:"dir"`
}

// A callDecision is what "guard call" prints.
type callDecision struct {
	Allow  bool            `json:"allow"`
	Reason string          `json:"reason,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"`
}

func callLine(entry, dir string) (string, error) {
	d := decideEntry(entry, dir)
	line, err := json.Marshal(callDecision{Allow: d.Allow, Reason: d.Reason, Input: d.Input})
	if err != nil {
		return "", fmt.Errorf("write a decision: %w", err)
	}
	return string(line), nil
}

func decideEntry(entry, dir string) guards.Decision {
	asked := judgedCall{Dir: dir}
	if len(entry) > longestEntry {
		return guards.Deny(fmt.Sprintf("the call is longer than %d bytes", longestEntry))
	}
	if err := json.Unmarshal([]byte(entry), &asked); err != nil {
		return guards.Deny(fmt.Sprintf("the call is no JSON object with role, agent, tool, input and dir: %v", err))
	}
	d := engine.PolicyOf(engine.Role(asked.Role), asked.Agent, asked.Dir).Decide(guards.Call{
		Role: asked.Role, Agent: asked.Agent, Tool: asked.Tool, Dir: asked.Dir, Input: asked.Input,
	})
	if !d.Allow || string(d.Input) == string(asked.Input) {
		d.Input = nil
	}
	return d
}
