package main

import (
	"fmt"
	"strings"

	"git-flower/engine"
	"git-flower/gitstate"
)

// sayMoved tells, before a run goes on that another machine drove last, what of
// it is here and what is not.
func (w *wake) sayMoved() error {
	if w.json {
		return nil
	}
	return write(w.env.Out, movedWords(w.run.History(), w.store.Machine()))
}

// movedWords is empty where this machine has the run's newest conversation, and
// where there is none yet.
func movedWords(h gitstate.History, machine string) string {
	last, ok := h.Last(func(d gitstate.Doc) bool { return d.Kind == gitstate.KindSession })
	if !ok || last.Meta.Machine == machine {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "run %s was last driven on another machine\n", h.Name)
	b.WriteString("  restored  all documents and results; fresh sessions go on from them\n")
	for _, d := range engine.AtWork(h) {
		fmt.Fprintf(&b, "  %-9s %s\n", d.Meta.Worker, sourceOfTree(h, d))
	}
	b.WriteString(begunWords(h))
	b.WriteString("  not here  conversations; whatever else it was begun with is as this machine has it\n")
	fmt.Fprintf(&b, "  spent     %s so far, which counts\n", dollars(h.Spent()))
	return b.String()
}

// begunWords tell which options hold here too. Where the workers edited a checkout,
// takeCheckoutAgain tells what becomes of that, and the banner tells of the pack.
func begunWords(h gitstate.History) string {
	var b strings.Builder
	request, _ := h.Current(gitstate.KindRequest)
	for _, o := range request.Meta.Options {
		if o.Name != "isolate" && o.Name != "plugin" {
			fmt.Fprintf(&b, " %s=%s", o.Name, o.Value)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "  options  " + b.String() + ", as it was begun with, but never a budget above this machine's\n"
}

// sourceOfTree says what a worker's tree is made from.
func sourceOfTree(h gitstate.History, begun gitstate.Doc) string {
	kept, ok := h.Work[begun.Meta.Worker]
	if !ok {
		return fmt.Sprintf("starts again at %s; nothing of its unfinished work came along", begun.Meta.Code.Short())
	}
	return fmt.Sprintf("its tree is made from refs/flower/work/%s/%s (%s)", h.Name, begun.Meta.Worker, kept.Short())
}
