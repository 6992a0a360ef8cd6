package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"git-flower/gitstate"
)

func showCommand() *command {
	return &command{
		name: "show", group: everyday, summary: "show a document of a run",
		synopsis: []string{"[--json] [--no-pager] [<document>] [<run>]"},
		prose: `
Shows a document of a run:

    request   what was asked for          verdict   the judge's newest verdict
    brief     what was understood         report    the workers' newest report
    goal      the goal and its checks     handoff   the newest handoff
    lineage   which session did what      ledger    what each session cost

Without one, shows request, brief, goal and verdict, as far as they exist. The
other kinds of records are shown in the same way ("notice", "question", "end"),
and so is every single document by its name in the run's tree or by its number:

    git flower show reports/0012-3f1c09aa82de.md
    git flower show 12

A word that is no document is taken for the name of the run.`,
		options: []option{jsonOption(), pagerOption()},
		exits:   exits(1, 2),
		args:    2,
		run:     runShow,
	}
}

func runShow(ctx context.Context, env *Env, c *call) error {
	what, name := c.arg(0), c.arg(1)
	if len(c.args) == 1 && !isDocument(what) {
		what, name = "", what
	}
	store, run, err := env.choose(ctx, name, anyRun)
	if err != nil {
		return err
	}
	parts, err := documents(ctx, store, run, what)
	if err != nil {
		return err
	}
	return env.paged(ctx, c, func(w io.Writer) error { return printParts(w, c.is("json"), len(parts) > 1, parts) })
}

// A part is a document as show prints it.
type part struct {
	Run      string `json:"run"`
	ID       string `json:"id"`
	Document string `json:"document"`       // kind, or "lineage", "ledger"
	Name     string `json:"name,omitempty"` // in the run's tree
	metaJSON
	Body  string          `json:"body,omitempty"`
	Value json.RawMessage `json:"value,omitempty"` // of lineage and ledger

	text string // for people
}

func printParts(w io.Writer, asJSON, titled bool, parts []part) error {
	for i, p := range parts {
		if asJSON {
			if err := jsonLine(w, p); err != nil {
				return err
			}
			continue
		}
		text := strings.TrimRight(sanitise(p.text), "\n") + "\n"
		if titled {
			text = fmt.Sprintf("== %s (%s)\n\n%s", p.Document, p.Name, text)
		}
		if i > 0 {
			text = "\n" + text
		}
		if err := write(w, text); err != nil {
			return err
		}
	}
	return nil
}

// kindsShown are the kinds of documents, by their singular.
func kindsShown() []gitstate.Kind {
	return []gitstate.Kind{gitstate.KindRequest, gitstate.KindAmendment, gitstate.KindBrief, gitstate.KindGoal,
		gitstate.KindSession, gitstate.KindStep, gitstate.KindReport, gitstate.KindVerdict, gitstate.KindHandoff,
		gitstate.KindQuestion, gitstate.KindAnswer, gitstate.KindNotice, gitstate.KindEnd}
}

// isDocument reports whether a word names a document rather than a run: a kind,
// one of the two tables, a number, or a path in the run's tree.
func isDocument(word string) bool {
	return word == "lineage" || word == "ledger" || slices.Contains(kindsShown(), gitstate.Kind(word)) ||
		strings.Contains(word, "/") || isNumber(word)
}

func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "0123456789") == ""
}

// documents finds what was asked for; nothing found is the answer no.
func documents(ctx context.Context, store *gitstate.Store, run *gitstate.Run, what string) ([]part, error) {
	h := run.History()
	var parts []part
	switch {
	case what == "ledger":
		return ledger(run, h)
	case what == "lineage":
		return lineage(ctx, store, run)
	case what == "":
		for _, k := range []gitstate.Kind{gitstate.KindRequest, gitstate.KindBrief, gitstate.KindGoal, gitstate.KindVerdict} {
			parts = append(parts, current(run, h, k)...)
		}
	case isNumber(what) || strings.Contains(what, "/"):
		parts = single(run, h, what)
	default:
		parts = current(run, h, gitstate.Kind(what))
	}
	if len(parts) == 0 {
		return nil, none(run, what)
	}
	return parts, nil
}

func none(run *gitstate.Run, what string) error {
	return endf(endNo, fmt.Sprintf(`"git flower log %s" lists what it has`, run.Name()), "run '%s' has no %s", run.Name(), what)
}

func newPart(run *gitstate.Run, d gitstate.Doc) part {
	return part{Run: run.Name(), ID: run.ID(), Document: string(d.Kind), Name: d.Name(),
		metaJSON: newMetaJSON(d.Meta), Body: d.Body, text: d.Body}
}

func current(run *gitstate.Run, h gitstate.History, k gitstate.Kind) []part {
	d, ok := h.Current(k)
	if !ok {
		return nil
	}
	return []part{newPart(run, d)}
}

// single finds a document by its name or by its number, which several may share
// after histories were merged.
func single(run *gitstate.Run, h gitstate.History, what string) []part {
	var parts []part
	for _, d := range h.Docs {
		if d.Name() == what || isNumber(what) && fmt.Sprint(d.Counter) == strings.TrimLeft(what, "0") {
			parts = append(parts, newPart(run, d))
		}
	}
	return parts
}

// ledger shows the accounts of all wakes.
func ledger(run *gitstate.Run, h gitstate.History) ([]part, error) {
	var b strings.Builder
	row := func(cells ...any) { fmt.Fprintf(&b, "%-16s %-12s %-24s %6v %10v %10v %12s\n", cells...) }
	row("step", "role", "model", "turns", "input", "output", "cost")
	for _, wake := range slices.Sorted(maps.Keys(h.Ledger)) {
		for _, r := range h.Ledger[wake] {
			role := r.Role
			if r.Worker != "" {
				role = r.Worker
			}
			row(cut(oneLine(r.Label), 16), cut(oneLine(role), 12), cut(oneLine(r.Model), 24), r.Turns,
				r.Input+r.Read+r.Written, r.Output, dollars(r.Cost))
		}
	}
	fmt.Fprintf(&b, "\n%s in all\n", dollars(h.Spent()))
	value, err := json.Marshal(h.Ledger)
	if h.Ledger == nil {
		value = []byte("{}")
	}
	return []part{{Run: run.Name(), ID: run.ID(), Document: "ledger", Name: "ledger/", Value: value, text: b.String()}}, err
}

// lineage shows which session did which step, from the run's tree.
func lineage(ctx context.Context, store *gitstate.Store, run *gitstate.Run) ([]part, error) {
	out, err := store.Git().Read(ctx, "ls-tree", "-z", "--name-only", "--end-of-options", string(run.Tip()), "lineage/")
	if err != nil {
		return nil, fmt.Errorf("read the lineage of run '%s': %w", run.Name(), err)
	}
	var parts []part
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		data, err := store.Show(ctx, string(run.Tip()), name)
		if err != nil {
			return nil, err
		}
		if !json.Valid(data) {
			return nil, fmt.Errorf("'%s' of run '%s' is no JSON", oneLine(name), run.Name())
		}
		parts = append(parts, part{Run: run.Name(), ID: run.ID(), Document: "lineage", Name: name, Value: data, text: string(data)})
	}
	if len(parts) == 0 {
		return nil, none(run, "lineage")
	}
	return parts, nil
}
