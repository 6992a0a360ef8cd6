package main

import (
	"context"
	"fmt"
	"strings"

	"git-flower/gitstate"
	"git-flower/worktree"
)

// A treeLine is a worker's tree as status tells of it.
type treeLine struct {
	Worker string `json:"worker"`
	State  string `json:"state"` // working, waiting, aside, checkout
	Path   string `json:"path"`
	Reason string `json:"reason,omitempty"` // why it was moved aside
}

const (
	treeAside    = "aside"
	treeCheckout = "checkout"
)

// workersTrees are the trees that hold something of a worker's, by run.
func workersTrees(ctx context.Context, store *gitstate.Store) (map[string][]treeLine, error) {
	all, err := worktree.List(ctx, store.Layout().State)
	trees := map[string][]treeLine{}
	for _, t := range all {
		if t.Worker != "" {
			trees[t.Run] = append(trees[t.Run], treeLine{Worker: t.Worker, State: t.State, Path: t.Path, Reason: t.Reason})
		}
	}
	return trees, err
}

// checkoutOf is the user's checkout, where a run's workers edit that itself.
func checkoutOf(l gitstate.Layout, run string) ([]treeLine, error) {
	t, ok, err := worktree.ListInPlace(inPlaceFile(l, run), l.CommonDir)
	if !ok || err != nil {
		return nil, err
	}
	return []treeLine{{Worker: t.Worker, State: t.State, Path: t.Path}}, nil
}

func (t treeLine) String() string {
	if t.State == treeCheckout {
		return oneLine(fmt.Sprintf("%sthe checkout itself: %s", inWords(t.Worker), t.Path))
	}
	text := fmt.Sprintf("%s, %s: %s", t.Worker, t.State, t.Path)
	if t.Reason != "" {
		text += " (" + t.Reason + ")"
	}
	return oneLine(text)
}

func inWords(worker string) string {
	if worker == "" {
		return ""
	}
	return worker + ", in "
}

// asideWords name the trees that were kept because something in them is saved
// nowhere else.
func asideWords(trees map[string][]treeLine, rows []runSummary) string {
	var b strings.Builder
	for _, r := range rows {
		for _, t := range trees[r.Name] {
			if t.State == treeAside {
				fmt.Fprintf(&b, "  %s, %s\n", r.Name, t)
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\ntrees moved aside, since something in them is kept nowhere else:\n" + b.String()
}
