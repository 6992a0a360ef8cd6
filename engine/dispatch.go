package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"git-flower/engine/harness"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
)

const dispatchSchema = `{
  "type": "object",
  "properties": {
    "tasks": {
      "type": "array", "minItems": 1, "maxItems": 16,
      "items": {
        "type": "object",
        "properties": {
          "worker": {"type": "string", "enum": ["coder"], "description": "The kind of worker."},
          "task": {"type": "string", "description": "What to do and where its limits are."},
          "acceptance": {"type": "string", "description": "What counts as finished."}
        },
        "required": ["worker", "task"], "additionalProperties": false
      }
    }
  },
  "required": ["tasks"], "additionalProperties": false
}`

// States of reports.
const (
	reportJoined    = "joined"    // the worker's commits are in the join
	reportUnchanged = "unchanged" // there was nothing to join
	reportConflict  = "conflict"  // the commits are kept, the join does not hold them
	reportFailed    = "failed"    // the worker could not go on; a snapshot is kept
)

// A task is one of a dispatch call.
type task struct {
	Worker     string
	Task       string
	Acceptance string
}

// dispatchTool sends tasks to workers and answers with their reports.
func (c *crew) dispatchTool() harness.Tool {
	return harness.Tool{
		Name:        "dispatch",
		Description: c.e.dispatchWords(),
		Schema:      c.e.dispatchSchema(),
		Call: func(ctx context.Context, call string, input json.RawMessage) (harness.Result, error) {
			tasks, err := c.e.decodeTasks(input)
			if err != nil {
				return harness.Result{}, err
			}
			members, reports, err := c.dispatch(ctx, call, tasks)
			if err != nil {
				return harness.Result{}, err
			}
			early, err := c.wait(ctx, members)
			if err != nil {
				return harness.Result{}, err
			}
			return harness.Result{Text: strings.TrimSpace(reports + "\n\n" + reportsOf(members, early))}, nil
		},
	}
}

func (e *Engine) dispatchWords() string {
	where, how := "each in a working tree of its own at the result so far", "side by side"
	if e.c.InPlace {
		where, how = "each in the user's own checkout, which holds the result so far", "one after the other"
	}
	return fmt.Sprintf("Send tasks to workers, %s, and wait for their reports. A worker sees only the task you write. What they change is committed and joined before the call returns. Several tasks of one call are worked on %s. %s", where, how, e.kindWords())
}

// dispatch brings a call's tasks to the crew. What is recorded is not done
// again: a report comes back as it stands, a worker that was begun is a member
// already. Workers are recorded in the order of the tasks before any works.
func (c *crew) dispatch(ctx context.Context, call string, tasks []task) (members []*member, reports string, err error) {
	var begun []gitstate.Doc
	for i, t := range tasks {
		if m, ok := c.find(call, i); ok {
			members = append(members, m)
			continue
		}
		if report, ok := answering(c.e.deps.State.History(), gitstate.KindReport, call, i); ok {
			reports += reportText(report)
			continue
		}
		doc, err := c.e.beginWorker(ctx, c.a, call, i, t)
		if err != nil {
			return nil, "", err
		}
		begun = append(begun, doc)
	}
	for _, doc := range begun {
		members = append(members, c.join(doc))
	}
	return members, reports, nil
}

const waitSchema = `{"type": "object", "properties": {}, "additionalProperties": false}`

// waitTool waits for workers that a call has left at work.
func (c *crew) waitTool() harness.Tool {
	return harness.Tool{
		Name:        "wait",
		Description: "Wait for the workers that are still at work, and get their reports. Only needed when dispatch came back early.",
		Schema:      json.RawMessage(waitSchema),
		Call: func(ctx context.Context, _ string, _ json.RawMessage) (harness.Result, error) {
			members := c.untold()
			if len(members) == 0 {
				return harness.Result{Text: "Nobody is at work, and you have had every report."}, nil
			}
			early, err := c.wait(ctx, members)
			if err != nil {
				return harness.Result{}, err
			}
			return harness.Result{Text: reportsOf(members, early)}, nil
		},
	}
}

func (e *Engine) decodeTasks(input json.RawMessage) ([]task, error) {
	var in struct{ Tasks []task }
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, refuse("the tasks are not of the tool's form: %v", err)
	}
	if len(in.Tasks) == 0 || len(in.Tasks) > 16 {
		return nil, refuse("a dispatch takes 1 to 16 tasks, not %d", len(in.Tasks))
	}
	for i, t := range in.Tasks {
		if _, ok := e.kind(t.Worker); !ok {
			return nil, refuse("there is no worker of kind '%s'; the kinds are: %s", line(t.Worker, 40), strings.Join(e.kinds(), ", "))
		}
		if strings.TrimSpace(t.Task) == "" {
			return nil, refuse("task %d is empty; write what is to be done", i+1)
		}
	}
	return in.Tasks, nil
}

// answering is the document of a kind that belongs to one task of a call.
func answering(h gitstate.History, k gitstate.Kind, call string, index int) (gitstate.Doc, bool) {
	return h.Last(func(d gitstate.Doc) bool {
		return d.Kind == k && d.Meta.Worker != "" && d.Meta.Call == call && d.Meta.Index == index
	})
}

// beginWorker records a worker before anything of it exists, so that a crash
// at any later point finds it again.
func (e *Engine) beginWorker(ctx context.Context, a Attempt, call string, index int, t task) (gitstate.Doc, error) {
	h := e.deps.State.History()
	name := workerName(h, t.Worker)
	kind, _ := e.kind(t.Worker)
	body := t.Task
	if t.Acceptance != "" {
		body += "\n\nFinished when: " + t.Acceptance
	}
	_, err := e.record(ctx, gitstate.Record{
		Kind: gitstate.KindSession, Subject: fmt.Sprintf("%s: %s", name, line(t.Task, 50)), Body: body,
		Meta: gitstate.Meta{
			Step: a.Step.Name, Label: a.Label, Round: a.Round, Worker: name, Session: newSession(), Machine: e.c.Machine,
			Harness: e.deps.Harness.Name(), Model: e.settings(Worker, kind).Model, Code: joined(h), Call: call, Index: index,
		},
	})
	if err != nil {
		return gitstate.Doc{}, err
	}
	begun, ok := answering(e.deps.State.History(), gitstate.KindSession, call, index)
	if !ok {
		return begun, fmt.Errorf("the session of '%s' is not in the history", name)
	}
	return begun, nil
}

// workerName is "<kind>-<n>", counted over the whole run.
func workerName(h gitstate.History, kind string) string {
	n := 1
	for _, d := range workers(h) {
		if strings.HasPrefix(d.Meta.Worker, kind+"-") {
			n++
		}
	}
	return fmt.Sprintf("%s-%d", kind, n)
}

// missingParts says what is wrong with a report's form, "" for nothing.
func missingParts(r document.Report) string {
	if missing := r.Missing(); len(missing) > 0 {
		return "it lacks " + strings.Join(missing, ", ")
	}
	if r.TooLong() {
		return "it is longer than 30 lines"
	}
	return ""
}
