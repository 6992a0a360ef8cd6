package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"git-flower/gitstate"
)

// countSyncs writes one more record each under strace and tells how often the
// two sides asked the kernel to sync.
func countSyncs(ctx context.Context, b *bench, p *plumbing, noSync bool) (string, error) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return "no strace: not checked who syncs", nil
	}
	logs := filepath.Join(b.dir, "strace")
	wrap := func(name string) []string {
		return []string{strace, "-f", "-qq", "-A", "-e", "trace=fsync,fdatasync", "-o", logs + "-" + name}
	}
	us := program{name: b.self, wrap: wrap("ours")}
	mode := map[bool]string{false: "sync", true: "nosync"}[noSync]
	tip, err := us.read(ctx, "", childWord, "append", p.from.dir, mode)
	if err != nil {
		return "strace does not work here: not checked who syncs", nil
	}
	if err := p.prepare(ctx, gitstate.ObjectID(strings.TrimSpace(tip))); err != nil {
		return "", err
	}
	p.git.wrap = wrap("git")
	defer func() { p.git.wrap = nil }()
	if err := p.write(ctx); err != nil {
		return "", err
	}
	ours, err := takeSyncs(logs + "-ours")
	if err != nil {
		return "", err
	}
	other, err := takeSyncs(logs + "-git")
	if err != nil {
		return "", err
	}
	if synced := !noSync; (ours > 0) != synced || (other > 0) != synced {
		return "", fmt.Errorf("ours syncs %d times, git %d times: not what the row says", ours, other)
	}
	if noSync {
		return "strace: nobody syncs", nil
	}
	return fmt.Sprintf("strace: we sync %d times, git %d times", ours, other), nil
}

// takeSyncs counts the calls in a log of strace and removes it, so that the next
// row begins anew.
func takeSyncs(log string) (int, error) {
	data, err := os.ReadFile(log)
	if err != nil {
		return 0, err
	}
	text := string(data)
	// A call that another process interrupts has a second line, "resumed>".
	return strings.Count(text, "fsync(") + strings.Count(text, "fdatasync("), os.Remove(log)
}
