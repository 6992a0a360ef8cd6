package messages

import (
	"context"
	_ "embed" // for the base prompt
	"fmt"
	"runtime"
	"strings"
	"time"

	"git-flower/engine/harness"
)

// basePrompt is the harness's own part of the system prompt; it names its version.
//
//go:embed prompts/base.md
var basePrompt string

// system is the system prompt: ours, the surroundings, the skills there are, the
// role's rules. The
// date is the day the session began, also when it is resumed later: a prompt
// that changes at midnight would cost the whole cache.
func (h *Harness) system(ctx context.Context, o harness.Options, skills string, began time.Time) []string {
	blocks := []string{strings.TrimSpace(basePrompt), h.environment(ctx, o.Dir, began)}
	for _, part := range []string{skills, strings.TrimSpace(o.System)} {
		if part != "" {
			blocks = append(blocks, part)
		}
	}
	return blocks
}

func (h *Harness) environment(ctx context.Context, dir string, began time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Surroundings, when this session began\n\nPlatform: %s/%s\nDate: %s\nWorking directory: %s\n",
		runtime.GOOS, runtime.GOARCH, began.Format("2006-01-02"), dir)
	if h.c.GitState != nil {
		if state := strings.TrimSpace(h.c.GitState(ctx, dir)); state != "" {
			fmt.Fprintf(&b, "\n%s\n", state)
		}
	}
	return strings.TrimSpace(b.String())
}
