package worktree

import (
	"context"
	"fmt"
	"strings"
)

// Changed lists the paths that differ between two commits, each once, with
// both names of a renamed file.
func (p *Pool) Changed(ctx context.Context, from, to string) ([]string, error) {
	out, err := p.objects().Read(ctx, "diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "-z",
		"--end-of-options", from, to, "--")
	if err != nil {
		return nil, fmt.Errorf("cannot compare '%s' with '%s': %w", from, to, err)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}
