package harness

import (
	"context"
	"fmt"
	"time"

	"git-flower/engine/transcript"
)

// Fork gives a session that has no transcript the history of another, which stays
// as it is; see Options.Fork. carryOn is transcript.Options.CarryOn. Repeating it
// after a crash is harmless.
func Fork(ctx context.Context, t Transcript, from, to, carryOn string, at time.Time) error {
	entries, err := t.Load(ctx, from)
	if err != nil {
		return fmt.Errorf("fork session '%s': %w", from, err)
	}
	forked, err := transcript.Fork(entries, carryOn, to, at)
	if err != nil {
		return fmt.Errorf("fork session '%s': %w", from, err)
	}
	if len(forked) == 0 {
		return fmt.Errorf("fork session '%s': %w", from, ErrNoSession)
	}
	if err := t.Append(ctx, to, forked...); err != nil {
		return fmt.Errorf("fork session '%s': %w", from, err)
	}
	return nil
}
