package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-flower/engine"
	"git-flower/engine/inbox"
	"git-flower/engine/spending"
	"git-flower/gitstate"
)

func askCommand() *command {
	return &command{
		name: "ask", group: everyday, personal: true, args: -1,
		summary:  "ask a side question about a run",
		synopsis: []string{"[--run <run>] [--json] [--] <question>...", "[--run <run>] [--json] -F <file>", "[--run <run>] [--json] -"},
		prose: `Asks a model about a run, which goes on meanwhile: the model is told the run's
documents and its newest events and can read the checkout and the bench, and
nothing of the exchange enters a session of the run. It makes 12 requests and
costs 0.50 USD at most; what it costs counts against the run's budget, and when
that is used up nothing is asked. Question and answer become a record. An ended
run can be asked about as well, and a rehearsal answers from its script.`,
		options: []option{runOption(), fileOption(), jsonOption()},
		exits:   exits(1, 2, 3, 75),
		run:     runAsk,
	}
}

func runAsk(ctx context.Context, env *Env, c *call) error {
	question, store, run, err := env.spokenTo(ctx, c)
	if err != nil {
		return err
	}
	w, err := env.wakeOf(ctx, c, store, run)
	if err != nil {
		return err
	}
	return w.askBeside(ctx, question)
}

// askBeside opens what the oracle looks at, and asks.
func (w *wake) askBeside(ctx context.Context, question string) (err error) {
	if w.pool, err = openPool(ctx, w.env, w.store, w.config.SnapshotLimit, "", w.fence); err != nil {
		return err
	}
	if err = w.openCheckout(ctx); err == nil {
		err = errors.Join(w.aside(ctx, question), w.closeCheckout(ctx))
	}
	return errors.Join(err, w.pool.Close())
}

// aside asks without driving: it holds no lock, hears no knocks, and keeps no
// transcript, since nobody will go on with the conversation.
func (w *wake) aside(ctx context.Context, question string) error {
	dir := w.store.Layout().RunDir(w.run.Name())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create the run's local folder: %w", err)
	}
	journal, err := openJournal(filepath.Join(dir, spendFile))
	if err != nil {
		return err
	}
	defer journal.Close()
	sessions, done, err := openAskSessions(w.store.Layout().State)
	if err != nil {
		return err
	}
	defer done()
	model, err := w.source.open(ctx, &scratch{}, sessions)
	if err != nil {
		return err
	}
	defer model.close()
	config, err := w.engineConfig(ctx, model)
	if err != nil {
		return err
	}
	config.Beside = true
	pid := driverOf(w.store, w.run.Name())
	var rows spending.Journal = journal
	if pid > 0 {
		rows = loud{journal, w.inbox()}
	}
	stream := w.asideEvents(ctx)
	e, err := engine.New(engine.Deps{
		State: w.run, Joins: w.pool, Harness: model.harness, Journal: rows, Clock: clock{now: w.env.Now}, Events: stream,
	}, config)
	if err != nil {
		return err
	}
	_, err = e.Aside(ctx, engine.Aside{Question: question, Recent: recentEvents(dir), Driven: pid > 0})
	stream.Close()
	if pid > 0 {
		// Best effort: the driver sees what it cost at its next record at the latest.
		_ = inbox.Knock(w.inbox(), string(gitstate.KindNotice))
	}
	return w.concludeAside(err)
}

// loud is a journal that tells whoever drives the run of each row, so that also
// what is spent by a question that is killed counts at once.
type loud struct {
	*journal
	inbox string
}

func (l loud) Write(row json.RawMessage) error {
	err := l.journal.Write(row)
	// Best effort: who is not woken reads the journal at the next wake.
	_ = inbox.Knock(l.inbox, "spent")
	return err
}

// concludeAside turns how the question went into the exit code.
func (w *wake) concludeAside(err error) error {
	var pause *engine.Pause
	switch {
	case !errors.As(err, &pause):
		return err
	case pause.Reason == engine.PauseBudget:
		return end(endLimit, err, fmt.Sprintf("\"git flower status %s\" shows what is known without a model", w.run.Name()))
	}
	return end(endingOf(pause), err, "see to what the endpoint says, then ask again")
}

// asideEvents shows the oracle's words as they come: alone on standard output,
// with what it looks at on the terminal besides, or everything as JSON.
func (w *wake) asideEvents(ctx context.Context) *engine.Stream {
	stream := &engine.Stream{}
	l := w.env.look(ctx)
	stream.Subscribe(eventQueue, func(ev engine.Event) {
		switch {
		case w.json:
			writeEvent(w.env.Out, ev)
		case ev.Kind == engine.EventText:
			fmt.Fprintln(w.env.Out, strings.TrimSpace(sanitise(ev.Text)))
		case ev.Kind == engine.EventRetry:
			say(w.env.Err, "note", retryWords(ev))
		case ev.Kind == engine.EventCall && w.env.ErrTerminal:
			fmt.Fprintln(w.env.Err, l.paint(faint, cut("* "+ev.Tool+" "+oneLine(ev.Text), l.room(0))))
		}
	})
	return stream
}
