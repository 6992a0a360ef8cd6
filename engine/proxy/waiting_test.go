package proxy

import (
	"context"
	"strings"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
)

// The CLI gives a request up that it hears nothing of; what the API says then
// follows what kept it waiting.
func TestTheCLIIsKeptWaiting(t *testing.T) {
	b, stub := onStub(t, func(c *Config, _ *Client) { c.Ping = time.Millisecond })
	for name, tt := range map[string]struct {
		reply harnesstest.Reply
		want  string
		class harness.Class
	}{
		"a whole answer": {harnesstest.Say("late"), "event: message_stop", 0},
		"a broken one":   {harnesstest.Reply{Blocks: []harnesstest.Block{harnesstest.TextBlock("half")}, Cut: 5}, "event: error", harness.Network},
	} {
		t.Run(name, func(t *testing.T) {
			b.pass.Begin()
			hold := make(chan struct{})
			reply := tt.reply
			reply.Hold = hold
			if tt.class != 0 {
				reply.Hold = nil
				b.purse.admit = func(context.Context, harness.Request) error { <-hold; return nil }
			}
			stub.Push(reply)
			time.AfterFunc(50*time.Millisecond, func() { close(hold) })
			status, answer := b.post(ask("go"))
			if status != 200 || !strings.HasPrefix(answer, "event: ping\n") || !strings.Contains(answer, tt.want) {
				t.Errorf("%d: %.200q", status, answer)
			}
			f := b.pass.Fault()
			if (f != nil) != (tt.class != 0) || f != nil && f.Class != tt.class {
				t.Errorf("fault %v", f)
			}
			if b.pass.Busy() {
				t.Error("it is still busy")
			}
		})
	}
}
