package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"git-flower/gitstate"
)

func logCommand() *command {
	return &command{
		name: "log", group: everyday, summary: "list the records of a run",
		synopsis: []string{"[-n <number>] [--json] [--no-pager] [<run>]"},
		prose: `
Lists the records of a run, the newest first: commit, age, kind and subject. The
whole story with its documents is in plain git:

    git log flower/run/<name>

With --json, one object per record, with the document as "body".`,
		options: []option{
			{long: "max-count", short: "n", value: "<number>", text: "stop after so many records"},
			jsonOption(), pagerOption(),
		},
		exits: exits(1, 2),
		args:  1,
		run:   runLog,
	}
}

// errEnough ends the reading of a log.
var errEnough = errors.New("enough records")

func runLog(ctx context.Context, env *Env, c *call) error {
	most, err := c.number("max-count", -1, 0)
	if err != nil {
		return err
	}
	store, err := env.Store(ctx)
	if err != nil {
		return err
	}
	p := entryPrinter{look: env.look(ctx), json: c.is("json")}
	name, err := chooseName(ctx, store, c.arg(0), anyRun)
	if err == nil && p.json {
		if p.run, err = store.Run(ctx, name); err == nil {
			name = p.run.Name()
		}
	}
	if err != nil {
		return err
	}
	return env.paged(ctx, c, func(w io.Writer) error {
		left := most
		err := store.Log(ctx, name, func(e gitstate.Entry) error {
			if left == 0 {
				return errEnough
			}
			left--
			return p.print(w, e)
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	})
}

// An entryPrinter prints records, each on a line.
type entryPrinter struct {
	look
	json bool
	run  *gitstate.Run // for JSON
}

func (p entryPrinter) print(w io.Writer, e gitstate.Entry) error {
	if p.json {
		return jsonLine(w, newEntryJSON(p.run, e))
	}
	const idWidth, ageWidth, kindWidth = 12, 14, 9
	return write(w, fmt.Sprintf("%s  %s  %s  %s\n", p.paint(asks, e.Commit.Short()), p.paint(faint, pad(p.ago(e.Unix), ageWidth)),
		pad(oneLine(string(e.Kind)), kindWidth), cut(oneLine(e.Subject), p.rest(idWidth+2+ageWidth+2+kindWidth+2))))
}

// An entryJSON is a record in the form of --json.
type entryJSON struct {
	Run     string   `json:"run"`
	ID      string   `json:"id"`
	Commit  string   `json:"commit"`
	Parents []string `json:"parents"`
	Kind    string   `json:"kind"`
	Subject string   `json:"subject"`
	Time    int64    `json:"time"`
	Author  string   `json:"author"`
	metaJSON
	Body string `json:"body"`
}

// A metaJSON holds the facts of a record or a document.
type metaJSON struct {
	Step     string   `json:"step,omitempty"`
	Label    string   `json:"label,omitempty"`
	Round    int      `json:"round,omitempty"`
	Worker   string   `json:"worker,omitempty"`
	Session  string   `json:"session,omitempty"`
	Harness  string   `json:"harness,omitempty"`
	Model    string   `json:"model,omitempty"`
	Code     string   `json:"code,omitempty"`
	Tip      string   `json:"worker_tip,omitempty"`
	State    string   `json:"state,omitempty"`
	Cost     int64    `json:"cost_micro_usd,omitempty"`
	From     []string `json:"from,omitempty"`
	Replaces []string `json:"replaces,omitempty"`
}

func newMetaJSON(m gitstate.Meta) metaJSON {
	return metaJSON{Step: m.Step, Label: m.Label, Round: m.Round, Worker: m.Worker, Session: m.Session,
		Harness: m.Harness, Model: m.Model, Code: string(m.Code), Tip: string(m.Tip), State: m.State,
		Cost: int64(m.Cost), From: m.From, Replaces: m.Replaces}
}

func newEntryJSON(run *gitstate.Run, e gitstate.Entry) entryJSON {
	parents := []string{}
	for _, p := range e.Parents {
		parents = append(parents, string(p))
	}
	return entryJSON{Run: run.Name(), ID: run.ID(), Commit: string(e.Commit), Parents: parents, Kind: string(e.Kind),
		Subject: e.Subject, Time: e.Unix, Author: e.Author, metaJSON: newMetaJSON(e.Meta), Body: e.Body}
}
