package main

import (
	"fmt"
	"strings"
	"time"

	"git-flower/engine"
	"git-flower/gitstate"
)

// waiter is who waits: for a question the person does not answer, the person.
func waiter(ev engine.Event) string {
	if ev.ID != "" {
		return "person"
	}
	return who(ev)
}

// heartbeatWords tell what is waited for, how long, and how long yet.
func heartbeatWords(ev engine.Event) string {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)).Round(time.Second) }
	what := firstLine(ev.Text)
	if ev.ID != "" {
		what = "an answer to question " + number(ev.ID) + ": " + what
	}
	text := fmt.Sprintf("has waited %s for %s", seconds(ev.Waited), what)
	if ev.Wait > 0 {
		text += fmt.Sprintf(" (another %s at most)", seconds(ev.Wait))
	}
	return text
}

// handoffWords tell how far a handoff has come. It is written in a dozen seconds or
// more, in which nothing else is said.
func handoffWords(ev engine.Event) string {
	size := fmt.Sprintf("%d of %d tokens", ev.Context, ev.Window)
	switch ev.State {
	case "near":
		return "the context is nearly full: " + size
	case "writing":
		return "writes a handoff for a fresh session (" + size + ")"
	}
	if ev.Text != "" {
		return "could not write its handoff; a fresh session goes on from the records"
	}
	return "has written its handoff; a fresh session goes on"
}

// delivery tells how far words have come, and by whom or for whom.
func delivery(ev engine.Event) string {
	switch {
	case ev.State == "queued" && ev.Worker != "":
		return "queued for " + ev.Worker
	case ev.State == "taken":
		return "taken by " + who(ev)
	}
	return ev.State
}

// told are the tools of ours whose effect has an event of its own.
func told(tool string) bool { return tool == "ask" || tool == "goal" || tool == "verdict" }

// outcome is how an output ended: its last line, and the one before when the
// last only gives the exit code.
func outcome(text string) string {
	last := lastLine(text)
	if rest := strings.TrimSuffix(strings.TrimSpace(text), last); strings.HasPrefix(last, "(exit code") && lastLine(rest) != "" {
		return lastLine(rest) + " " + last
	}
	return last
}

func checkColour(state string) string {
	if state == "passed" {
		return good
	}
	return bad
}

// who is the first column: a worker's name, else the role.
func who(ev engine.Event) string {
	if ev.Worker != "" {
		return ev.Worker
	}
	return ev.Role
}

// number is what people call a document by: its number.
func number(name string) string {
	_, file, _ := strings.Cut(name, "/")
	digits, _, _ := strings.Cut(file, "-")
	return strings.TrimLeft(digits, "0")
}

// answerPrompt stands where the person types. An interruption is no question.
func answerPrompt(ev engine.Event) string {
	if ev.ID == "" {
		return "your words (Enter = nothing, go on) > "
	}
	return fmt.Sprintf("your answer to question %s (Enter = %s) > ", number(ev.ID), ev.State)
}

// shown are the records worth a line of their own; the others repeat what was
// on the screen a moment before.
func shown(kind string) bool {
	switch gitstate.Kind(kind) {
	case gitstate.KindAmendment, gitstate.KindSession, gitstate.KindStep, gitstate.KindQuestion, gitstate.KindAnswer, gitstate.KindEnd:
		return false
	}
	return true
}

// lastLine is the last line of a text that holds something: where an output
// says how it ended.
func lastLine(text string) string {
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if line := oneLine(lines[i]); line != "" {
			return line
		}
	}
	return ""
}
