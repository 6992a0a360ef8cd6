package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"git-flower/worktree/fence"
)

// putUpFence finds out what can hold the commands of a run here. Where the user
// requires all of it and not all of it can be had, nothing begins.
func (w *wake) putUpFence(ctx context.Context) error {
	if w.config.Fence == fence.Off {
		return nil
	}
	means := fence.Probe(ctx)
	if w.config.Fence == fence.Require && !means.Full() {
		return endf(endFatal, "\"git flower doctor\" lists what holds; flower.fence=auto goes on with that",
			"flower.fence is require, and the fence does not hold here: there is %s%s", means.Words(), whyNot(means))
	}
	if means.Any() {
		w.fence = fence.ForUser(means, w.env.lookup)
		w.fence.Ports = w.config.FencePorts
	}
	return nil
}

func whyNot(m fence.Means) string {
	if m.NoNamespaces == "" {
		return ""
	}
	return " (no namespaces: " + oneLine(m.NoNamespaces) + ")"
}

// treeFence is what commands in all trees are held to: the checkout is not theirs.
func (w *wake) treeFence() fence.Policy {
	f := w.fence
	if top := w.store.Layout().TopLevel; top != "" && f.On() {
		f.Hide = append(f.Hide[:len(f.Hide):len(f.Hide)], top)
	}
	return f
}

// checkoutFence is what commands in the checkout are held to, those of the
// coordinator: they look, at the repository and our state too, and change
// nothing. Nil where nothing is held.
func (w *wake) checkoutFence() (*fence.Policy, error) {
	if !w.fence.On() {
		return nil, nil
	}
	l := w.store.Layout()
	f := w.fence
	f.Temp = filepath.Join(l.State, "temp", w.run.Name())
	if err := os.MkdirAll(f.Temp, 0o700); err != nil {
		return nil, fmt.Errorf("create a folder for temporary files: %w", err)
	}
	f.Read = append(f.Read[:len(f.Read):len(f.Read)], w.checkout.Path, l.CommonDir, l.GitDir, l.State)
	f.Env = append(f.Env[:len(f.Env):len(f.Env)], "TMPDIR="+f.Temp)
	f = f.ReadOnly()
	return &f, nil
}

// fenceWords is the banner's line about the fence.
func (w *wake) fenceWords() string {
	m := w.fence.Means
	switch {
	case m.Full():
		return m.Words() + ": workers' commands change their own trees only"
	case m.Any():
		return m.Words() + "; \"git flower doctor\" lists what is not held"
	case w.config.Fence == fence.Off:
		return "off: workers' commands run with your rights"
	}
	return "none holds here: workers' commands run with your rights"
}

// acceptUnfenced asks, once for a repository on this machine, whether a model
// that is real may work here with the user's rights. Who turned the fence off
// has said so.
func (w *wake) acceptUnfenced(ctx context.Context) error {
	if w.fence.On() || w.config.Fence == fence.Off || isRehearsed(w.run) {
		return nil
	}
	file := filepath.Join(w.store.Layout().State, "unfenced")
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	if w.person == here {
		line, err := w.ask(ctx, "no fence holds here; let workers' commands run with your rights? [y/N] ")
		if err != nil {
			return err
		}
		if said := strings.ToLower(strings.TrimSpace(line)); said == "y" || said == "yes" {
			return remember(file, "accepted")
		}
	}
	return endf(endPerson, "\"git config flower.fence off\" accepts that workers' commands run with your rights",
		"no fence holds on this machine, and nobody accepted to work without one")
}

// parsePorts reads numbers of ports with commas between them.
func parsePorts(to *[]uint16, v string) error {
	*to = nil
	for word := range strings.SplitSeq(v, ",") {
		word = strings.TrimSpace(word)
		if word == "" && v == "" {
			return nil
		}
		n, err := strconv.ParseUint(word, 10, 16)
		if err != nil || n == 0 {
			return fmt.Errorf("'%s' is not a list of ports such as 80,443", v)
		}
		*to = append(*to, uint16(n))
	}
	return nil
}
