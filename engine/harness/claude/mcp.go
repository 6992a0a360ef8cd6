package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"git-flower/engine/harness"
)

// maxResult is how many characters of a result of ours the CLI takes whole; a
// longer one it would put into a file.
const maxResult = 400_000

// A toolServer is the MCP server of one process of the CLI. Each of its messages
// is a control request, and its answer that request's.
type toolServer struct {
	in     chan jsonrpc.Message
	closed chan struct{}
	once   sync.Once
	ended  chan struct{} // closed when the server has ended

	mu      sync.Mutex
	waiting map[any]chan jsonrpc.Message // by id, who waits for the answer
}

// newToolServer serves tools; call performs one. It ends with close.
func newToolServer(ctx context.Context, tools []harness.Tool, call func(context.Context, harness.Tool, string, json.RawMessage) (harness.Result, bool)) *toolServer {
	t := &toolServer{in: make(chan jsonrpc.Message), closed: make(chan struct{}), ended: make(chan struct{}),
		waiting: map[any]chan jsonrpc.Message{}}
	srv := mcp.NewServer(&mcp.Implementation{Name: server, Version: "1"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}, Logger: slog.New(slog.DiscardHandler)})
	for _, tool := range tools {
		srv.AddTool(describe(tool), func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			id, _ := r.Params.Meta["claudecode/toolUseId"].(string)
			result, answer := call(ctx, tool, id, r.Params.Arguments)
			if !answer {
				<-t.closed
			}
			return asResult(result), nil
		})
	}
	go func() {
		defer close(t.ended)
		_ = srv.Run(context.WithoutCancel(ctx), t) // ends with the connection
	}()
	return t
}

// describe is a tool as the CLI is told of it: always there instead of behind a
// search, and, when its calls may run side by side, marked as one that only
// reads, because others are run one by one.
func describe(tool harness.Tool) *mcp.Tool {
	return &mcp.Tool{
		Name: tool.Name, Description: tool.Description, InputSchema: tool.Schema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: tool.Parallel},
		Meta:        mcp.Meta{"anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": maxResult},
	}
}

func asResult(r harness.Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{IsError: r.IsError}
	if r.Image != nil {
		out.Content = append(out.Content, &mcp.ImageContent{Data: r.Image.Data, MIMEType: r.Image.MediaType})
	}
	if r.Text != "" || r.Image == nil {
		out.Content = append(out.Content, &mcp.TextContent{Text: r.Text})
	}
	return out
}

// take gives the server a message of the CLI's and returns its answer in the
// form of a control response.
func (t *toolServer) take(ctx context.Context, name string, raw json.RawMessage) (any, error) {
	if t == nil || name != server {
		return nil, fmt.Errorf("there is no MCP server '%s'", name)
	}
	m, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		return nil, fmt.Errorf("a message to the MCP server '%s' cannot be read: %w", name, err)
	}
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return nil, fmt.Errorf("the MCP server '%s' asked nothing", name)
	}
	if !r.IsCall() {
		return map[string]any{"mcp_response": map[string]any{"jsonrpc": "2.0", "result": map[string]any{}}}, t.put(ctx, m)
	}
	answer := make(chan jsonrpc.Message, 1)
	t.mu.Lock()
	t.waiting[r.ID.Raw()] = answer
	t.mu.Unlock()
	if err := t.put(ctx, m); err != nil {
		return nil, err
	}
	select {
	case got := <-answer:
		body, err := jsonrpc.EncodeMessage(got)
		return map[string]any{"mcp_response": json.RawMessage(body)}, err
	case <-t.closed:
		return nil, io.ErrClosedPipe
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (t *toolServer) put(ctx context.Context, m jsonrpc.Message) error {
	select {
	case t.in <- m:
		return nil
	case <-t.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Connect makes it its own transport; see mcp.Transport.
func (t *toolServer) Connect(context.Context) (mcp.Connection, error) { return t, nil }

// SessionID is empty: there is one client.
func (t *toolServer) SessionID() string { return "" }

// Read hands the server a message.
func (t *toolServer) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-t.in:
		return m, nil
	case <-t.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write takes an answer of the server's. It asks nothing, and its notices have
// no way to the CLI.
func (t *toolServer) Write(_ context.Context, m jsonrpc.Message) error {
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return nil
	}
	t.mu.Lock()
	answer := t.waiting[r.ID.Raw()]
	delete(t.waiting, r.ID.Raw())
	t.mu.Unlock()
	if answer != nil {
		answer <- m
	}
	return nil
}

// Close ends the connection; see mcp.Connection.
func (t *toolServer) Close() error {
	t.once.Do(func() { close(t.closed) })
	return nil
}

// end ends the server and waits for calls under way.
func (t *toolServer) end() {
	if t != nil {
		t.Close()
		<-t.ended
	}
}

// perform makes a call of ours, which ends with the turn. The guards were asked
// by the hook. It reports whether the call is to be answered: when the turn is
// left, it stays open.
func (s *session) perform(ctx context.Context, tool harness.Tool, id string, input json.RawMessage) (harness.Result, bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := s.playing()
	if t == nil {
		return harness.Result{Text: "This call came outside of a turn and was not made.", IsError: true}, true
	}
	defer context.AfterFunc(t.ctx, func() { cancel(context.Cause(t.ctx)) })()
	r, err := call(ctx, tool, id, input)
	if errors.Is(err, harness.ErrAbort) {
		t.quit(errAborted)
	}
	if t.ctx.Err() != nil && !errors.Is(context.Cause(t.ctx), harness.ErrInterrupted) {
		return harness.Result{}, false
	}
	if err != nil && !errors.Is(err, harness.ErrStop) {
		return harness.Result{Text: err.Error(), IsError: true}, true
	}
	if err != nil {
		s.keeper.ends(id)
		t.stop(id)
	}
	return s.observe(ctx, s.call(hookInput{Tool: tool.Name, Input: input}), r), true
}

// call performs a tool; a panic is an error result.
func call(ctx context.Context, tool harness.Tool, id string, input json.RawMessage) (r harness.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool failed: %v", p)
		}
	}()
	return tool.Call(ctx, id, input)
}
