package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"git-flower/engine/economy"
	"git-flower/engine/harness"
	"git-flower/engine/session"
	"git-flower/engine/spending"
	"git-flower/gitstate"
)

func statsCommand() *command {
	return &command{
		name: "stats", group: everyday, summary: "show what a run cost and what its contexts held",
		synopsis: []string{"[--json] [--svg <file>] [--no-pager] [<run>]"},
		prose: `
Shows for each role and each session: requests, tokens and cost, which are in the
records and travel with them; and turns, calls and characters, which are counted
in the transcripts. Below it stands how much of the work stayed out of the
coordinator's context and how that context grew.

Where a transcript is not on this machine, "-" stands for what it would tell, and
the sessions are listed. A turn is one answer of the model, however many rows it
was stored in. Nothing is written but the file of --svg, and no model is asked.`,
		options: []option{
			{long: "json", text: "print JSON, one object"},
			{long: "svg", value: "<file>", text: "write the coordinator's context curve as a picture"},
			pagerOption(),
		},
		exits: exits(1, 2),
		args:  1,
		run:   runStats,
	}
}

// The figures of a run as they are printed.
type runFigures struct {
	ID        string `json:"id"`
	Rehearsed bool   `json:"rehearsed,omitempty"`
	economy.Report
}

func runStats(ctx context.Context, env *Env, c *call) error {
	store, run, err := env.choose(ctx, c.arg(0), anyRun)
	if err != nil {
		return err
	}
	report, err := measure(ctx, env, store, run)
	if err != nil {
		return err
	}
	figures := runFigures{run.ID(), isRehearsed(run), report}
	if c.given("svg") {
		if err := writePicture(env.path(c.text("svg")), report); err != nil {
			return err
		}
	}
	if c.is("json") {
		return jsonLine(env.Out, figures)
	}
	return env.paged(ctx, c, func(w io.Writer) error {
		return write(w, statsText(env.look(ctx), figures))
	})
}

// measure counts a run, with those of its transcripts that are on this machine.
func measure(ctx context.Context, env *Env, store *gitstate.Store, run *gitstate.Run) (r economy.Report, err error) {
	late, err := unrecorded(store, run)
	if err != nil {
		return r, err
	}
	m := economy.NewMeter(run.Name(), run.History().Ledger, late)
	path := filepath.Join(store.Layout().Flower, "session.db")
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return m.Report(), nil
	}
	transcripts, err := session.Open(ctx, path)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, transcripts.Close()) }()
	if damage := transcripts.Damage(); damage != nil {
		say(env.Err, "warning", damage.Error())
	}
	for _, id := range m.Sessions() {
		err := transcripts.Each(ctx, id, func(raw json.RawMessage) error {
			m.Add(id, raw)
			return nil
		})
		if err != nil {
			return r, err
		}
	}
	r = m.Report()
	if last := run.History().Docs; len(last) > 0 && last[len(last)-1].Kind != gitstate.KindEnd {
		r.Forecast = m.Forecast(env.Now(), cachePrice)
	}
	return r, nil
}

// cachePrice is what our table says of a model's cache.
func cachePrice(model string) (economy.Price, bool) {
	m, known := harness.Lookup(model)
	return economy.Price{Read: m.Read, Written: m.Write5m, Hour: m.Write1h}, known && m.Priced()
}

// unrecorded is what this machine knows to be spent that no record holds: the run
// is at work, or was killed.
func unrecorded(store *gitstate.Store, run *gitstate.Run) ([]gitstate.LedgerRow, error) {
	lines, err := journalLines(filepath.Join(store.Layout().RunDir(run.Name()), spendFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read the spending journal: %w", err)
	}
	return spending.Unrecorded(lines, run.History().Ledger), nil
}

func writePicture(path string, r economy.Report) error {
	curves := mainCurves(r)
	if len(curves) == 0 {
		return endf(endNo, "it is drawn from the coordinator's transcript", "run '%s' has no context curve here", r.Run)
	}
	if err := os.WriteFile(path, []byte(picture(r.Run, curves)), 0o644); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	return nil
}

// mainCurves are the context curves of the coordinator's sessions that have one.
func mainCurves(r economy.Report) [][]economy.Point {
	var curves [][]economy.Point
	for _, s := range r.Sessions {
		if s.Role == "coordinator" && len(s.Curve) > 0 {
			curves = append(curves, s.Curve)
		}
	}
	return curves
}
