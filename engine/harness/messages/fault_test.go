package messages

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/engine/harness/wire"
)

func TestFaultsAreClassified(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply harnesstest.Reply
		want  harness.Class
	}{
		{"bad key", harnesstest.Fail(401, "authentication_error", "invalid x-api-key"), harness.Auth},
		{"forbidden", harnesstest.Fail(403, "permission_error", "no access to this model"), harness.Auth},
		{"bare 403", harnesstest.Reply{Status: 403, Body: "<html>no</html>"}, harness.Auth},
		{"billing", harnesstest.Fail(402, "billing_error", "pay first"), harness.Auth},
		{"credit", harnesstest.Fail(400, "invalid_request_error", "Your credit balance is too low to access the API"), harness.Auth},
		{"invalid", harnesstest.Fail(400, "invalid_request_error", "messages.0: unknown field"), harness.Invalid},
		{"400 of a gateway", harnesstest.Reply{Status: 400, Body: `{"error":{"message":"upstream model service call failed"}}`}, harness.Unknown},
		{"400 of a gateway, in its own words", harnesstest.Fail(400, "upstream_error", "model service call failed"), harness.Unknown},
		{"a number that is no status", harnesstest.Fail(529, "overloaded_error", "gave up after 400 ms"), harness.Overloaded},
		{"a status of somebody else", harnesstest.Fail(502, "api_error", "upstream said 401 authentication required"), harness.ServerError},
		{"no such model", harnesstest.Fail(404, "not_found_error", "model: claude-nope"), harness.Invalid},
		{"too large", harnesstest.Fail(413, "request_too_large", "Request exceeds the maximum size"), harness.Invalid},
		{"too long", harnesstest.Fail(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), harness.PromptTooLong},
		{"too long elsewhere", harnesstest.Fail(400, "", "This model's maximum context length is 8192 tokens"), harness.PromptTooLong},
		{"context_length_exceeded", harnesstest.Fail(400, "invalid_request_error", "context_length_exceeded"), harness.PromptTooLong},
		{"with max_tokens", harnesstest.Fail(400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"), harness.PromptTooLong},
		{"too many bytes", harnesstest.Fail(400, "invalid_request_error", "Too many total text bytes: 9437185"), harness.PromptTooLong},
		{"a 500 that says too long", harnesstest.Fail(500, "api_error", "prompt is too long"), harness.ServerError},
		{"rate", harnesstest.Fail(429, "rate_limit_error", "too many requests"), harness.RateLimit},
		{"bare 429", harnesstest.Reply{Status: 429, Body: "slow down"}, harness.RateLimit},
		{"usage", harnesstest.Fail(429, "rate_limit_error", "You've hit your limit · resets 3pm"), harness.UsageLimit},
		{"monthly", harnesstest.Fail(400, "invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."), harness.UsageLimit},
		{"spend code", harnesstest.Reply{Status: 429, Body: `{"type":"error","error":{"type":"rate_limit_error","message":"no","details":{"error_code":"enforced_spend_limit_reached"}}}`}, harness.UsageLimit},
		{"overloaded", harnesstest.Fail(529, "overloaded_error", "Overloaded"), harness.Overloaded},
		{"bare 529", harnesstest.Reply{Status: 529, Body: "x"}, harness.Overloaded},
		{"500", harnesstest.Fail(500, "api_error", "Internal server error"), harness.ServerError},
		{"502 of a proxy", harnesstest.Reply{Status: 502, Body: "<html>Bad Gateway</html>"}, harness.ServerError},
		{"timeout", harnesstest.Fail(504, "timeout_error", "timed out"), harness.ServerError},
		{"overloaded in the stream", harnesstest.Reply{Error: "overloaded_error", Message: "Overloaded"}, harness.Overloaded},
		{"api error in the stream", harnesstest.Reply{Error: "api_error", Message: "Internal"}, harness.ServerError},
		{"too long in the stream", harnesstest.Reply{Error: "invalid_request_error", Message: "prompt is too long"}, harness.PromptTooLong},
		{"dropped at once", harnesstest.Reply{Cut: 1}, harness.Network},
		{"dropped before the end", harnesstest.Reply{Blocks: []harnesstest.Block{harnesstest.TextBlock("abc")}, Cut: 7}, harness.Network},
		{"ended early", harnesstest.Reply{Body: "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\n"}, harness.Network},
		{"no events", harnesstest.Reply{Body: "data: {\"type\":\"message_start\"}\n\n"}, harness.Network},
		{"not JSON", harnesstest.Reply{Body: "event: message_start\ndata: {nonsense\n\n"}, harness.Network},
		{"wrong type", harnesstest.Reply{Body: "event: message_start\ndata: {\"type\":7}\n\n"}, harness.Network},
		{"delta for no block", harnesstest.Reply{Body: "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n" +
			"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":7,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n"}, harness.Network},
		{"too much text", harnesstest.Say(strings.Repeat("x", wire.MaxContent+1)), harness.Unknown},
		{"too many blocks", harnesstest.Reply{Blocks: slices.Repeat([]harnesstest.Block{harnesstest.TextBlock("a")}, wire.MaxBlocks+1)}, harness.Unknown},
		{"an event without end", harnesstest.Reply{Body: "event: message_start\n" + strings.Repeat("data: "+strings.Repeat("x", 1000)+"\n", wire.MaxBody/1000)}, harness.Unknown},
		{"an error without end", harnesstest.Reply{Body: strings.Repeat("x", wire.MaxBody+1), Header: http.Header{"Content-Type": {"text/event-stream"}}}, harness.Unknown},
		{"a web page", harnesstest.Reply{Body: "<html>Welcome</html>", Header: http.Header{"Content-Type": {"text/html"}}}, harness.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.want == harness.Unknown && c.reply.Status == 0 {
				t.Skip("megabytes")
			}
			b := newBench(t)
			b.stub.Push(c.reply)
			ended, _ := b.turn("go")
			if ended.Fault == nil || ended.Fault.Class != c.want || ended.Fault.Message == "" || strings.Contains(ended.Fault.Message, "\n") {
				t.Fatalf("fault %+v, want %v", ended.Fault, c.want)
			}
			if c.reply.Status != 0 && (ended.Fault.Status != c.reply.Status || ended.Fault.RequestID == "") {
				t.Errorf("fault %+v", ended.Fault)
			}
			if n := len(b.stub.Requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
			b.stub.Push(harnesstest.Say("ok"))
			b.done("")
		})
	}
}

func TestNobodyListens(t *testing.T) {
	b := newBench(t, func(c *Config) { c.BaseURL = "http://user:hunter2@127.0.0.1:1/path" })
	ended, _ := b.turn("go")
	if ended.Fault == nil || ended.Fault.Class != harness.Network || strings.Contains(ended.Fault.Message, "hunter2") {
		t.Errorf("fault %+v", ended.Fault)
	}
}

func TestPlanLimitIsKnownByItsHeader(t *testing.T) {
	now := time.Unix(1796050800, 0)
	b := newBench(t, func(c *Config) { c.Now = func() time.Time { return now } })
	r := harnesstest.Fail(429, "rate_limit_error", "no more today")
	r.Header = http.Header{"Anthropic-Ratelimit-Unified-Status": {"rejected"}, "Anthropic-Ratelimit-Unified-Reset": {"1796054400"}}
	b.stub.Push(r)
	if ended, _ := b.turn("go"); ended.Fault.Class != harness.UsageLimit || ended.Fault.RetryAfter != time.Hour {
		t.Errorf("fault %+v", ended.Fault)
	}
}

func TestSecretsStayOutOfFaults(t *testing.T) {
	b := newBench(t)
	b.stub.Push(harnesstest.Fail(400, "invalid_request_error", "key "+b.stub.Key+", sk-ant-oat01-abc_DEF-123,\n Authorization: Bearer abcdefgh12345678, https://u:hunter2@host/ "+strings.Repeat("x", 2000)))
	ended, _ := b.turn("go")
	for _, s := range []string{b.stub.Key, "oat01", "abcdefgh12345678", "hunter2", "\n"} {
		if strings.Contains(ended.Fault.Message, s) {
			t.Errorf("message holds %q: %s", s, ended.Fault.Message)
		}
	}
	if len(ended.Fault.Message) > 600 {
		t.Errorf("message of %d bytes", len(ended.Fault.Message))
	}
}
