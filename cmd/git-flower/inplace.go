package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"git-flower/engine"
	"git-flower/gitstate"
	"git-flower/worktree"
)

// inPlaceFile is where a run remembers that its workers edit a checkout. It never
// travels: elsewhere there is another checkout, which nobody agreed to have edited.
func (w *wake) inPlaceFile() string {
	return inPlaceFile(w.store.Layout(), w.run.Name())
}

func inPlaceFile(l gitstate.Layout, run string) string {
	return filepath.Join(l.RunDir(run), "inplace")
}

// takeCheckout keeps other runs out of the checkout that the workers are to edit.
func (w *wake) takeCheckout(ctx context.Context) (err error) {
	if w.config.Isolate {
		return nil
	}
	w.place, err = w.pool.InPlace(ctx)
	var taken *worktree.TakenError
	if errors.As(err, &taken) {
		return end(endFatal, err, `"git flower status" shows it; wait until it has ended, or start with --isolate`)
	}
	return checkoutEnding(err, "with --isolate")
}

// beginInPlace has the run remember where it works, before anybody works there.
func (w *wake) beginInPlace(ctx context.Context) error {
	if w.place == nil {
		return nil
	}
	w.place.Join, w.place.Mark = w.newestJoin, w.marks()[0]
	return w.place.Begin(ctx, w.run.Name(), w.inPlaceFile())
}

// takeCheckoutAgain is takeCheckout for a run that goes on. What it began with
// decides, not what is configured since.
func (w *wake) takeCheckoutAgain(ctx context.Context) error {
	began, err := w.pool.BeganInPlace(w.inPlaceFile())
	var elsewhere *worktree.ElsewhereError
	if errors.As(err, &elsewhere) {
		return end(endFatal, err, fmt.Sprintf("go to that checkout, then \"git flower resume %s\"", w.run.Name()))
	}
	if err != nil {
		return err
	}
	if !began {
		if begunWith(w.run.History())["isolate"] == "no" && !w.json {
			say(w.env.Err, "note", "the run was begun in a checkout that is not here; its workers get trees of their own, made from what is recorded")
		}
		return nil
	}
	if w.place, err = w.pool.InPlace(ctx); err == nil {
		w.place.Join, w.place.Mark = w.newestJoin, w.marks()[0]
		err = w.place.Resume(ctx, w.inPlaceFile())
	}
	if err != nil {
		return end(endFatal, err, inPlaceHint(err, `put the checkout in order ("git status" tells how), then resume again`))
	}
	return nil
}

// inPlaceHint is what to do about a checkout that is not as the run left it.
func inPlaceHint(err error, otherwise string) string {
	var moved *worktree.MovedError
	var taken *worktree.TakenError
	var busy *worktree.InProgressError
	switch {
	case errors.As(err, &moved):
		return `switch back with "git switch" or "git checkout", then resume`
	case errors.As(err, &taken):
		return `"git flower status" shows it; resume when it has ended`
	case errors.As(err, &busy):
		return `finish or abort it ("git status" tells how), then resume`
	}
	return otherwise
}

// leaveCheckout lets others have it. It may be called twice.
func (w *wake) leaveCheckout() error {
	if w.place == nil {
		return nil
	}
	return w.place.Close()
}

func (w *wake) newestJoin(ctx context.Context) (string, error) {
	id, _, err := w.store.Ref(ctx, joinRef(w.run.Name()))
	return string(id), err
}

// marks tell this run's commands from those of others in the same checkout.
func (w *wake) marks() []string {
	if w.place == nil {
		return nil
	}
	return []string{"FLOWER_RUN=" + w.store.Layout().ID + "/" + w.run.Name()}
}

func (w *wake) trees() (engine.Trees, engine.Snapshots) {
	if w.place != nil {
		return w.place, w.place
	}
	return w.pool, w.pool
}

func (w *wake) jobs() int {
	if w.place != nil {
		return 1
	}
	return w.config.Jobs
}

// inPlaceWords say that workers edit the checkout itself, and why.
func (w *wake) inPlaceWords() string {
	if w.place == nil {
		return ""
	}
	since := "as the run began"
	if w.changes.Commit != "" {
		since = w.config.IsolateFrom
	}
	return fmt.Sprintf("workers edit the files of %s itself, one worker at a time (%s)", oneLine(w.store.Layout().TopLevel), since)
}

// warnInPlace says it where no banner is shown.
func (w *wake) warnInPlace() {
	if w.place != nil {
		say(w.env.Err, "warning", w.inPlaceWords())
	}
}
