package guards

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
)

// Limits of repetition. Crush stops a session after five equal calls in ten
// steps; ours counts only calls that also gave the same result, and starts anew
// when something was changed in between.
const (
	mostSame   = 5  // equal outcomes of a call before it is refused
	mostPolled = 50 // the same for tools that wait for something
	mostTries  = 20 // refusals of one call before the session is stuck
	mostInRow  = 40 // refusals of any calls, with nothing run in between
	remembered = 128
)

// A Made call is one of a session's past, as digests.
type Made struct {
	call    [sha256.Size]byte
	result  [sha256.Size]byte
	refused bool
	changes bool // it may have changed something
}

// Ran is a call that was performed. Input is what ran, which is not always what
// the model wrote.
func Ran(c Call, result string) Made {
	return Made{call: digestOf(c), result: sha256.Sum256([]byte(result)), changes: !slices.Contains(lookers[:], c.Tool)}
}

// Refused is a call that was denied.
func Refused(c Call) Made { return Made{call: digestOf(c), refused: true} }

// Remember adds a call to a session's past and forgets the oldest.
func Remember(past []Made, m Made) []Made {
	past = append(past, m)
	return slices.Clone(past[max(0, len(past)-remembered):])
}

// lookers are tools that change nothing, whatever they are given.
var lookers = [...]string{"Read", "Glob", "Grep", "LS", "NotebookRead", "WebFetch", "WebSearch", "TodoWrite", "BashOutput", "wait", "inbox"}

// pollers are tools that may well say the same until something has happened.
var pollers = [...]string{"BashOutput", "wait", "inbox"}

// digestOf is the same for calls that mean the same: blanks and the order of
// keys do not count.
func digestOf(c Call) [sha256.Size]byte {
	input := []byte(c.Input)
	d := json.NewDecoder(bytes.NewReader(c.Input))
	d.UseNumber()
	var v any
	if d.Decode(&v) == nil {
		if canonical, err := json.Marshal(v); err == nil {
			input = canonical
		}
	}
	return sha256.Sum256(append([]byte(c.Tool+"\x00"), input...))
}

// Repeats judges a call that the walls allow by what the same call came to
// before. It is refused when it gave the same result again and again; a
// different result, or a change made in between, opens it again, and every
// refusal says something else.
func Repeats(past []Made, c Call) Decision {
	most := mostSame
	if slices.Contains(pollers[:], c.Tool) {
		most = mostPolled
	}
	if same, _ := count(past, digestOf(c)); same < most {
		return Allow()
	}
	return Deny(repeated(c.Tool, most, tries(past, c)))
}

// Told says a wall's refusal in other words when the same call was refused before.
func Told(past []Made, c Call, d Decision) Decision {
	n := tries(past, c)
	switch {
	case d.Allow || n == 0:
		return d
	case n == 1:
		d.Reason += ". You have heard this before, and the answer stays the same: take another way"
	case n == 2:
		d.Reason = "This is refused for the third time, so it is not the way. Leave it out, ask the person if only this can help, or say in your answer what stays open. The reason was: " + d.Reason
	default:
		d.Reason = fmt.Sprintf("Refused %d times now. Every other call is open to you, and so is ending your turn with what you have. The reason was: %s", n+1, d.Reason)
	}
	return d
}

// Stuck tells whether a session makes a refused call, or a few of them, and
// hardly anything else, so that only money is spent by going on. c is its newest.
func Stuck(past []Made, c Call) bool {
	if tries(past, c) >= mostTries {
		return true
	}
	return len(past) >= mostInRow && !slices.ContainsFunc(past[len(past)-mostInRow:], func(m Made) bool { return !m.refused })
}

// tries are how often a call was refused since it was last performed or
// something was changed.
func tries(past []Made, c Call) int {
	_, refused := count(past, digestOf(c))
	return refused
}

// count goes back in the past as far as nothing was changed: how often in a row
// the call gave the same result, and how often it was refused.
func count(past []Made, call [sha256.Size]byte) (same, refused int) {
	var result [sha256.Size]byte
	for i := len(past) - 1; i >= 0; i-- {
		m := past[i]
		switch {
		case m.call != call && m.changes && first(past, i):
			return same, refused
		case m.call != call:
		case m.refused:
			refused++
		case same > 0 && m.result != result:
			return same, refused
		default:
			same, result = same+1, m.result
		}
	}
	return same, refused
}

// first tells whether a call was new when it was made. One that comes back is
// part of the loop and no change.
func first(past []Made, i int) bool {
	return !slices.ContainsFunc(past[:i], func(m Made) bool { return m.call == past[i].call })
}

func repeated(tool string, most, tries int) string {
	switch tries {
	case 0:
		return fmt.Sprintf("this very call of %s was made %d times and gave the same result each time; nothing has changed since, so it was not run. "+
			"The result stands above: work with it, or change something first", tool, most)
	case 1:
		return fmt.Sprintf("the same call of %s again would say the same again. Take another step: read what the result complains about, or try a smaller part by itself", tool)
	case 2:
		return fmt.Sprintf("still the same call of %s. If there is no other way that you know of, end your turn now: say what you have, what does not work, and what you tried", tool)
	}
	return fmt.Sprintf("refused %d times. This call of %s opens again as soon as you change something; every other call is open to you, and so is ending your turn", tries+1, tool)
}
