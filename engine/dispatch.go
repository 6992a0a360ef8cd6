package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"git-flower/engine/harness"
	"git-flower/gitstate"
	"git-flower/gitstate/document"
	"git-flower/worktree"
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
)

// A task is one of a dispatch call.
type task struct {
	Worker     string
	Task       string
	Acceptance string
}

// dispatchTool sends tasks to workers and answers with their reports.
func (e *Engine) dispatchTool(a Attempt) harness.Tool {
	return harness.Tool{
		Name:        "dispatch",
		Description: "Send tasks to workers, each in a working tree of its own at the result so far, and wait for their reports. A worker sees only the task you write. What they change is committed and joined before the call returns. Kinds of workers: coder (reads, writes, runs and verifies code).",
		Schema:      json.RawMessage(dispatchSchema),
		Call: func(ctx context.Context, call string, input json.RawMessage) (harness.Result, error) {
			tasks, err := decodeTasks(input)
			if err != nil {
				return harness.Result{}, err
			}
			var b strings.Builder
			for i, t := range tasks {
				report, err := e.dispatch(ctx, a, call, i, t)
				if err != nil {
					return harness.Result{}, err
				}
				fmt.Fprintf(&b, "# %s: %s\n\n%s\n\n", report.Meta.Worker, report.Meta.State, report.Body)
			}
			return harness.Result{Text: strings.TrimSpace(b.String())}, nil
		},
	}
}

func decodeTasks(input json.RawMessage) ([]task, error) {
	var in struct{ Tasks []task }
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, refuse("the tasks are not of the tool's form: %v", err)
	}
	if len(in.Tasks) == 0 || len(in.Tasks) > 16 {
		return nil, refuse("a dispatch takes 1 to 16 tasks, not %d", len(in.Tasks))
	}
	for i, t := range in.Tasks {
		if t.Worker != "coder" {
			return nil, refuse("there is no worker of kind '%s'; the kinds are: coder", line(t.Worker, 40))
		}
		if strings.TrimSpace(t.Task) == "" {
			return nil, refuse("task %d is empty; write what is to be done", i+1)
		}
	}
	return in.Tasks, nil
}

// dispatch brings one task of a call to its report. What is recorded is not
// done again: a report is returned as it stands, a worker that was begun goes
// on in its own session and tree.
func (e *Engine) dispatch(ctx context.Context, a Attempt, call string, index int, t task) (gitstate.Doc, error) {
	h := e.deps.State.History()
	if report, ok := answering(h, gitstate.KindReport, call, index); ok {
		return report, nil
	}
	begun, ok := answering(h, gitstate.KindSession, call, index)
	if !ok {
		var err error
		if begun, err = e.beginWorker(ctx, a, call, index, t); err != nil {
			return begun, err
		}
	}
	tree, restored, err := e.treeOf(ctx, begun)
	if err != nil {
		return begun, err
	}
	w := &worker{e: e, a: a, begun: begun, task: t, tree: tree, restored: restored}
	if err := w.run(ctx); err != nil {
		return begun, err
	}
	report, ok := answering(e.deps.State.History(), gitstate.KindReport, call, index)
	if !ok {
		return begun, fmt.Errorf("the report of '%s' is not in the history", begun.Meta.Worker)
	}
	return report, e.deps.Trees.Release(ctx, w.tree)
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
	body := t.Task
	if t.Acceptance != "" {
		body += "\n\nFinished when: " + t.Acceptance
	}
	_, err := e.record(ctx, gitstate.Record{
		Kind: gitstate.KindSession, Subject: fmt.Sprintf("%s: %s", name, line(t.Task, 50)), Body: body,
		Meta: gitstate.Meta{
			Step: a.Step.Name, Label: a.Label, Round: a.Round, Worker: name, Session: newSession(), Machine: e.c.Machine,
			Harness: e.deps.Harness.Name(), Model: e.model(Worker), Code: joined(h), Call: call, Index: index,
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
	for _, d := range h.Of(gitstate.KindSession) {
		if strings.HasPrefix(d.Meta.Worker, kind+"-") {
			n++
		}
	}
	return fmt.Sprintf("%s-%d", kind, n)
}

// treeOf is a worker's tree: the one it has, or a new one at its base, and what
// the worker must be told about it.
func (e *Engine) treeOf(ctx context.Context, begun gitstate.Doc) (*worktree.Tree, string, error) {
	spec := e.spec(begun.Meta.Worker, string(begun.Meta.Code))
	tree, err := e.deps.Trees.Reopen(ctx, spec)
	if err == nil {
		return tree, "", nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("open the tree of '%s': %w", begun.Meta.Worker, err)
	}
	n, err := e.deps.Transcripts.Len(ctx, begun.Meta.Session)
	if err != nil {
		return nil, "", fmt.Errorf("look for the transcript of '%s': %w", begun.Meta.Worker, err)
	}
	if tree, err = e.deps.Trees.Add(ctx, spec); err != nil {
		return nil, "", fmt.Errorf("prepare a tree for '%s': %w", begun.Meta.Worker, err)
	}
	if tip := saved(e.deps.State.History(), begun.Meta.Worker); tip != "" {
		if err := e.deps.Snapshots.Restore(ctx, tree, string(tip)); err != nil {
			return nil, "", fmt.Errorf("restore the tree of '%s': %w", begun.Meta.Worker, err)
		}
		return tree, "Your working tree was lost and has been restored from a snapshot. What was ignored by git is not in it.", nil
	}
	if n == 0 {
		return tree, "", nil
	}
	return tree, "Your working tree was lost and has been made anew at the commit you started from. What you changed in it is gone; look, and do it again.", nil
}

func (e *Engine) spec(worker, base string) worktree.Spec {
	return worktree.Spec{Run: e.deps.State.History().Name, Worker: worker, Base: base}
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
