package harnesstest

import (
	"fmt"
	"strings"
)

// check is what the real API would refuse, or empty.
func check(r Received) string {
	if len(r.Messages) == 0 || r.Messages[0].Role != "user" {
		return "the first message must be the user's"
	}
	open := map[string]bool{}
	said := "" // the role that spoke last
	for i, m := range r.Messages {
		if len(m.Content) == 0 && len(m.Output) == 0 {
			return fmt.Sprintf("message %d is empty", i)
		}
		if m.Role == "system" {
			if problem := checkSystem(r.Messages, i, said); problem != "" {
				return fmt.Sprintf("message %d: %s", i, problem)
			}
			continue
		}
		if m.Role == said {
			return fmt.Sprintf("message %d has the role of the one before", i)
		}
		said = m.Role
		if m.Role == "user" {
			if problem := checkResults(m, open); problem != "" {
				return fmt.Sprintf("message %d: %s", i, problem)
			}
			clear(open)
		}
		for _, b := range m.Content {
			if b.Type == "text" && strings.TrimSpace(b.Text) == "" {
				return fmt.Sprintf("message %d has empty text", i)
			}
			if b.Type == "tool_use" {
				open[b.ID] = true
			}
		}
	}
	if n := strings.Count(string(r.Body), `"cache_control":{`); n > 4 {
		return fmt.Sprintf("%d cache marks", n)
	}
	return ""
}

// checkSystem checks a message in the role system. One without content, which
// only changes settings, may stand anywhere.
func checkSystem(all []WireMessage, i int, said string) string {
	if len(all[i].Content) == 0 {
		return ""
	}
	for _, b := range all[i].Content {
		if b.Type != "text" || strings.TrimSpace(b.Text) == "" {
			return "a system message holds text"
		}
	}
	if said != "user" {
		return "a system message must follow a user message"
	}
	if i+1 < len(all) && all[i+1].Role == "user" {
		return "a system message must precede an assistant message or be the last"
	}
	return ""
}

func checkResults(m WireMessage, open map[string]bool) string {
	answered, text := 0, false
	for _, b := range m.Content {
		if b.Type != "tool_result" {
			text = true
			continue
		}
		if text {
			return "a result comes after other content"
		}
		if !open[b.ToolUseID] {
			return "a result without its call: " + b.ToolUseID
		}
		answered++
	}
	if answered != len(open) {
		return fmt.Sprintf("%d calls, %d results", len(open), answered)
	}
	return ""
}
