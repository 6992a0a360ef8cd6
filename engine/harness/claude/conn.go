package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A peer is the process as a conn needs it; process.Peer is one.
type peer interface {
	io.ReadWriter
	Exited() <-chan struct{}
	ExitCode() int
	Errors() string
	End() error
	Close() error
}

// A conn is the control channel to one process. Its reader never waits for
// whoever wants the lines, so that hooks and calls are answered while nobody
// pulls.
type conn struct {
	peer   peer
	answer func(context.Context, request) (any, error) // to what the CLI asks; from many goroutines
	mirror func(path string, entries []json.RawMessage)

	ctx    context.Context // ends with the conn
	cancel context.CancelFunc
	served sync.WaitGroup

	writing sync.Mutex

	mu      sync.Mutex
	asked   int                           // requests of ours
	replies map[string]chan response      // to those that wait
	serving map[string]context.CancelFunc // requests of the CLI's, by id
	lines   []line                        // not taken yet
	news    chan struct{}                 // holds a token when there are lines
	over    chan struct{}                 // closed when the output is at its end
}

// errGone says that the process ended where an answer was expected.
var errGone = errors.New("the process ended")

func newConn(ctx context.Context, p peer, answer func(context.Context, request) (any, error),
	mirror func(string, []json.RawMessage)) *conn {
	c := &conn{peer: p, answer: answer, mirror: mirror, replies: map[string]chan response{},
		serving: map[string]context.CancelFunc{}, news: make(chan struct{}, 1), over: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go c.read()
	return c
}

// serve answers a request of the CLI's, beside everything else: a call may take
// hours, and the calls of sub-agents come meanwhile.
func (c *conn) serve(l line) {
	ctx, cancel := context.WithCancel(c.ctx)
	c.mu.Lock()
	c.serving[l.RequestID] = cancel
	c.mu.Unlock()
	c.served.Go(func() {
		defer func() {
			c.mu.Lock()
			delete(c.serving, l.RequestID)
			c.mu.Unlock()
			cancel()
		}()
		body, err := c.reply(ctx, l.Request)
		if ctx.Err() != nil {
			return // nobody waits for it
		}
		r := map[string]any{"subtype": "success", "request_id": l.RequestID, "response": body}
		if err != nil {
			r = map[string]any{"subtype": "error", "request_id": l.RequestID, "error": err.Error()}
		}
		_ = c.write(map[string]any{"type": "control_response", "response": r}) // an ended process is seen elsewhere
	})
}

// reply never panics: the CLI would wait for ever.
func (c *conn) reply(ctx context.Context, r request) (body any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it could not be answered: %v", p)
		}
	}()
	return c.answer(ctx, r)
}

// ask makes a request of ours and waits for the answer.
func (c *conn) ask(ctx context.Context, r map[string]any) (json.RawMessage, error) {
	reply := make(chan response, 1)
	c.mu.Lock()
	c.asked++
	id := "flower_" + strconv.Itoa(c.asked)
	c.replies[id] = reply
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.replies, id)
		c.mu.Unlock()
	}()
	if err := c.write(map[string]any{"type": "control_request", "request_id": id, "request": r}); err != nil {
		return nil, err
	}
	select {
	case got := <-reply:
		if got.Subtype != "success" {
			return nil, fmt.Errorf("%v was refused: %s", r["subtype"], oneLine(got.Error))
		}
		return got.Response, nil
	case <-c.over:
		return nil, errGone
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// write sends one line. A line that is no JSON would end the process.
func (c *conn) write(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = c.peer.Write(append(raw, '\n'))
	return err
}

// say sends a user's message under an id. One that wants no answer is kept, and
// goes along with the next that does.
func (c *conn) say(id, text string, answer bool) error {
	return c.write(map[string]any{
		"type": "user", "session_id": "", "parent_tool_use_id": nil, "uuid": id, "shouldQuery": answer,
		"message": map[string]any{"role": "user", "content": text},
	})
}

// leaveTime is what the process gets to end by itself when it is asked to.
const leaveTime = 3 * time.Second

// leave ends the process in order: what it still has to mirror is read.
func (c *conn) leave() error {
	ctx, cancel := context.WithTimeout(c.ctx, leaveTime)
	defer cancel()
	if _, err := c.ask(ctx, map[string]any{"subtype": "end_session"}); err == nil {
		select {
		case <-c.over:
		case <-ctx.Done():
		}
	}
	return c.end()
}

// end ends the process and all it started, now, and waits for whoever still
// answers one of its requests.
func (c *conn) end() error {
	c.cancel()
	err := c.peer.End()
	<-c.over
	c.served.Wait()
	return errors.Join(err, c.peer.Close())
}

// why says how the process ended, from what it printed on standard error.
func (c *conn) why() string {
	text := strings.TrimSpace(c.peer.Errors())
	if text == "" {
		return fmt.Sprintf("exit code %d", c.peer.ExitCode())
	}
	return fmt.Sprintf("exit code %d: %s", c.peer.ExitCode(), oneLine(text))
}

// oneLine makes a text one line of at most 500 characters.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if r := []rune(text); len(r) > 500 {
		return string(r[:500]) + "…"
	}
	return text
}

// busy says whether a request of the CLI's is being answered: a call of ours, or
// a guard.
func (c *conn) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.serving) > 0
}
