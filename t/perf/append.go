package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"git-flower/gitstate"
)

const (
	runName    = "add-a-json-flag"
	runRef     = "refs/flower/run/" + runName
	priorCount = 50 // records that the run has before the first that is measured
)

// measureAppend sets one appended record against the same objects and the same
// ref written by git's plumbing, a process each.
func measureAppend(ctx context.Context, b *bench) ([]row, error) {
	var rows []row
	for _, v := range []struct {
		name   string
		noSync bool
		target float64
	}{{"synced", false, 0.5}, {"not synced", true, 0.25}} {
		t, note, err := appendContest(ctx, b, v.noSync)
		if err != nil {
			return rows, err
		}
		rows = append(rows, versus("append a 2 KB report, "+v.name, t, v.target, note))
	}
	return rows, nil
}

func appendContest(ctx context.Context, b *bench, noSync bool) (t times, note string, err error) {
	ours, err := b.repository(ctx, fmt.Sprintf("append-%t-ours", noSync))
	if err != nil {
		return t, "", err
	}
	if err := fillRun(ctx, ours, priorCount); err != nil {
		return t, "", err
	}
	other := ours + "-by-git"
	if err := os.CopyFS(other, os.DirFS(ours)); err != nil {
		return t, "", err
	}
	a, err := openAppender(ctx, ours, noSync)
	if err != nil {
		return t, "", err
	}
	p := newPlumbing(ours, other, noSync)
	// Git writes what ours wrote in the pair before: so its input is there.
	if err := a.append(ctx, 0); err != nil {
		return t, "", errors.Join(err, a.close())
	}
	t, err = contest{
		ready: func(int) error { return p.prepare(ctx, a.run.Tip()) },
		ours:  func(pair int) error { return a.append(ctx, pair+1) },
		other: func(int) error { return p.write(ctx) },
	}.run(ctx, b.rounds(60))
	if err = errors.Join(err, a.close()); err != nil {
		return t, "", err
	}
	if err := p.catchUp(ctx, a.run.Tip()); err != nil {
		return t, "", err
	}
	note = p.size()
	syncs, err := countSyncs(ctx, b, p, noSync)
	return t, note + "; " + syncs, err
}

// An appender appends reports to the run through a store that stays open, as a
// driver's does.
type appender struct {
	store *gitstate.Store
	run   *gitstate.Run
}

func openAppender(ctx context.Context, dir string, noSync bool) (*appender, error) {
	store, err := gitstate.Open(ctx, dir, gitstate.Config{NoSync: noSync})
	if err != nil {
		return nil, err
	}
	run, err := store.Run(ctx, runName)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &appender{store, run}, nil
}

func (a *appender) append(ctx context.Context, n int) error {
	_, err := a.run.Append(ctx, reportRecord(priorCount+n)) // unlike any that is there
	return err
}

func (a *appender) close() error { return a.store.Close() }

// reportRecord is a worker's report of about 2 KB.
func reportRecord(n int) gitstate.Record {
	var b strings.Builder
	fmt.Fprintf(&b, "## Conclusion\n\nThe flag is there, attempt %d.\n\n## Evidence\n\n", n)
	for i := range 22 {
		fmt.Fprintf(&b, "- case %d of attempt %d: `./list --json` prints the list as one array, exit 0\n", i, n)
	}
	b.WriteString("\n## Output\n\nlist, test.sh\n\n## Unverified\n\nNothing.\n")
	return gitstate.Record{Kind: gitstate.KindReport, Subject: "coder-1: the flag is there", Body: b.String(),
		Meta: gitstate.Meta{Step: "work", Label: "work#round1", Round: 1, Worker: "coder-1", Call: fmt.Sprintf("toolu_%06d", n),
			Session: "6f1c2a34-0000-4000-8000-000000000001", State: "ok", Cost: 12345, Wake: "w1"}}
}
