package messages

import (
	"context"
	"fmt"
	"strings"

	"git-flower/engine/harness"
)

const todoAbout = `Keeps the list of what is to be done in this session. Give the whole list each time. Use it for work of three steps or more:
one item in_progress at a time, completed as soon as it is done and verified, never before.`

const todoSchema = `{"type":"object","properties":{"todos":{"type":"array","items":{"type":"object","properties":{` +
	`"content":{"type":"string","description":"what is to be done"},` +
	`"status":{"type":"string","enum":["pending","in_progress","completed"]},` +
	`"activeForm":{"type":"string","description":"the same, as something going on"}},` +
	`"required":["content","status"]}}},"required":["todos"]}`

type todoInput struct {
	Todos []struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	} `json:"todos"`
}

// todoWrite keeps nothing: the list lives in the conversation, where the model
// finds it and where it survives with the transcript.
func todoWrite(_ context.Context, in todoInput) (harness.Result, error) {
	if len(in.Todos) == 0 {
		return text("The list is empty.")
	}
	open := 0
	var b strings.Builder
	for _, t := range in.Todos {
		mark := map[string]string{"completed": "x", "in_progress": ">", "pending": " "}[t.Status]
		if mark == "" {
			return harness.Result{}, fmt.Errorf("status '%s' is not pending, in_progress or completed", t.Status)
		}
		if t.Status != "completed" {
			open++
		}
		fmt.Fprintf(&b, "[%s] %s\n", mark, t.Content)
	}
	fmt.Fprintf(&b, "%d of %d open", open, len(in.Todos))
	return text(b.String())
}
