package engine

import (
	"encoding/json"
	"strings"
)

// summary is one line of what a tool call is about: the first of the inputs
// that say so. Paths in the session's own directory are shown from there.
func summary(input json.RawMessage, dir string) string {
	var in struct {
		FilePath string `json:"file_path"`
		Command  string `json:"command"`
		Pattern  string `json:"pattern"`
		Question string `json:"question"`
		State    string `json:"state"`
		Skill    string `json:"skill"`
		Tasks    []struct {
			Worker string `json:"worker"`
			Task   string `json:"task"`
		} `json:"tasks"`
	}
	if json.Unmarshal(input, &in) != nil {
		return ""
	}
	in.FilePath = strings.TrimPrefix(in.FilePath, dir+"/")
	for _, s := range []string{in.FilePath, in.Command, in.Pattern, in.Question, in.State, in.Skill} {
		if s != "" {
			return line(s, 200)
		}
	}
	var tasks []string
	for _, t := range in.Tasks {
		tasks = append(tasks, line(t.Worker+": "+t.Task, 200))
	}
	return strings.Join(tasks, "; ")
}

// line folds a text into one line of at most n characters.
func line(s string, n int) string { return head(strings.Join(strings.Fields(s), " "), n) }

// tail is the last n characters of a text, where an output says how it ended.
func tail(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return "..." + string(r[len(r)-n+3:])
}

// head is the first n characters of a text.
func head(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-3]) + "..."
}
