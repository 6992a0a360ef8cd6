package rehearse

import (
	"strings"
)

// Claude Code puts texts of its own between what a person and the model say.
// What follows are those forms, seen with version 2.1.332: messages in the role
// system, reminders, notes on an interruption, the record of commands that ran
// on the spot, and an answer that no model gave.

// unasked is what Claude Code lets the assistant say when a conversation is
// resumed that ends with the user.
const unasked = "No response requested."

// aside is how a person's words come that were said while the model worked: in
// a message of the role system or in a reminder.
var aside = lazily(`(?s)The user sent a new message while you were working:\n(.*?)\n\nThis is how Claude Code surfaces `)

// notes begin texts of the user that no person said.
var notes = [...]string{"[Request interrupted by user", "<local-command-", "<command-name>"}

// cutOffs begin the results of calls that were cut off: by a crash, in the words
// of git flower and of Claude Code, or by an interruption, in those of Claude Code.
var cutOffs = [...]string{
	"[interrupted]", "[Tool call interrupted: ", "[Request interrupted by user",
	"The user doesn't want to proceed with this tool use", "The user doesn't want to take this action right now",
}

func isCutOff(result string) bool { return beginsWith(result, cutOffs[:]) }

func beginsWith(s string, beginnings []string) bool {
	for _, b := range beginnings {
		if strings.HasPrefix(s, b) {
			return true
		}
	}
	return false
}

// spoken is what a person, the model and the tools said. What a person said
// while the model worked stands with the results it came with.
func spoken(messages []message) []message {
	var out []message
	for _, m := range messages {
		blocks := ownBlocks(m)
		if m.role == "system" && len(out) > 0 {
			last := &out[len(out)-1]
			last.blocks = append(last.blocks[:len(last.blocks):len(last.blocks)], blocks...)
			continue
		}
		if len(blocks) > 0 && m.role != "system" {
			out = append(out, message{role: m.role, blocks: blocks})
		}
	}
	return out
}

// ownBlocks are a message's blocks without what Claude Code added.
func ownBlocks(m message) []block {
	if m.role == "assistant" {
		if len(m.blocks) == 1 && m.blocks[0].text == unasked {
			return nil
		}
		return m.blocks
	}
	var out []block
	for _, b := range m.blocks {
		switch {
		case b.kind == "text" && m.role == "system":
			out = append(out, asides(b.text)...)
		case b.kind == "text":
			out = append(out, asides(reminders(b.text))...)
			// Claude Code ends a text with a line break when another follows.
			b.text = strings.TrimRight(withoutReminders(b.text), "\n")
			if b.text != "" && !beginsWith(b.text, notes[:]) {
				out = append(out, b)
			}
		case b.kind == "tool_result":
			out = append(out, ownResult(b)...)
		default:
			out = append(out, b)
		}
	}
	return out
}

// ownResult is a result without reminders, and what a person said in them.
func ownResult(b block) []block {
	said, text := []block(nil), ""
	for _, inner := range b.inner {
		if inner.kind == "text" {
			said = append(said, asides(reminders(inner.text))...)
			text += withoutReminders(inner.text)
		}
	}
	if text != b.text {
		b.text = strings.TrimRight(text, "\n")
	}
	return append([]block{b}, said...)
}

// asides are the words that a person said while the model worked.
func asides(s string) []block {
	var out []block
	for _, m := range aside().FindAllStringSubmatch(s, -1) {
		out = append(out, block{kind: "text", text: m[1]})
	}
	return out
}

const reminderBegins, reminderEnds = "<system-reminder>", "</system-reminder>"

// withoutReminders cuts reminders off the beginning and the end of a text. One
// in the middle is something that was said about reminders.
func withoutReminders(s string) string {
	from, to := ownSpan(s)
	return s[from:to]
}

// reminders is what withoutReminders cuts off.
func reminders(s string) string {
	from, to := ownSpan(s)
	return s[:from] + s[to:]
}

func ownSpan(s string) (from, to int) {
	to = len(s)
	for {
		begin := skipped(s, from)
		if !strings.HasPrefix(s[begin:], reminderBegins) {
			break
		}
		end := strings.Index(s[begin:], reminderEnds)
		if end < 0 {
			break
		}
		from = skipped(s, begin+end+len(reminderEnds))
	}
	for {
		end := len(strings.TrimRight(s[from:to], " \n")) + from
		if !strings.HasSuffix(s[from:end], reminderEnds) {
			break
		}
		begin := strings.LastIndex(s[from:end], reminderBegins)
		if begin < 0 {
			break
		}
		to = len(strings.TrimRight(s[from:from+begin], " \n")) + from
	}
	return from, to
}

// skipped is the first place at or after from that holds no blank.
func skipped(s string, from int) int {
	return len(s) - len(strings.TrimLeft(s[from:], " \n"))
}
