package rehearse

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// open sends a streaming request and leaves the reading to the test.
func (c *chat) open() *http.Response {
	c.t.Helper()
	c.body["stream"] = true
	raw, _ := json.Marshal(c.body)
	req, err := http.NewRequestWithContext(c.t.Context(), "POST", c.s.URL()+c.path, bytes.NewReader(raw))
	if err != nil {
		c.t.Fatal(err)
	}
	for k, v := range c.header {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { res.Body.Close() })
	return res
}

// frames reads a stream to its end: the events' names, and how it ended.
func frames(r io.Reader) (names []string, data []string, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if name, ok := strings.CutPrefix(in.Text(), "event: "); ok {
			names = append(names, name)
		}
		if d, ok := strings.CutPrefix(in.Text(), "data: "); ok {
			data = append(data, d)
		}
	}
	return names, data, in.Err()
}

const streamScript = `
fallback:
  turns:
    - thinking: so
      say: Grüße aus Köln und von überall her, 你好
      call: [{tool: Bash, input: {command: "ls -l"}}, {tool: Bash}]
      usage: {input: 10, output: 20, read: 30, write5m: 40, write1h: 50}
`

// The bytes on the wire are those of the streaming page.
func TestStreamBytes(t *testing.T) {
	c := newChat(t, start(t, streamScript), "hi")
	c.body["thinking"] = dict{"type": "adaptive", "display": "summarized"}
	res := c.open()
	if got := res.Header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" {
		t.Errorf("content type %s", got)
	}
	if res.Header.Get("request-id") == "" {
		t.Error("no request id")
	}
	got, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/stream.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) {
		t.Errorf("stream differs from testdata/stream.txt:\n%s", got)
	}
}

// Streamed or not, the answer is the same.
func TestStreamEqualsWhole(t *testing.T) {
	s := start(t, streamScript)
	c := newChat(t, s, "hi")
	whole := c.next()
	c = newChat(t, s, "hi")
	_, data, err := frames(c.open().Body)
	if err != nil {
		t.Fatal(err)
	}
	var text, input strings.Builder
	var stop string
	for _, d := range data {
		var e struct {
			Delta struct {
				Text, PartialJSON, StopReason string
			}
			Index int
		}
		json.Unmarshal([]byte(strings.NewReplacer("partial_json", "PartialJSON", "stop_reason", "StopReason").Replace(d)), &e)
		text.WriteString(e.Delta.Text)
		if e.Index == 2 {
			input.WriteString(e.Delta.PartialJSON)
		}
		stop += e.Delta.StopReason
	}
	b := blocks(whole)
	want, _ := json.Marshal(b[2]["input"])
	if text.String() != prose(whole) || input.String() != string(want) || stop != whole["stop_reason"] {
		t.Errorf("streamed %q %s %s, whole %v", text.String(), input.String(), stop, whole)
	}
}

func TestPieces(t *testing.T) {
	for _, s := range []string{"", "x", strings.Repeat("ü", 500), strings.Repeat("\x80", 100), strings.Repeat("你好", 3)} {
		pieces := chunks(s)
		if strings.Join(pieces, "") != s {
			t.Errorf("%q falls apart", s)
		}
		if len(pieces) > 24 {
			t.Errorf("%d pieces of %d bytes", len(pieces), len(s))
		}
	}
}

func TestMaxTokens(t *testing.T) {
	s := start(t, "fallback: {turns: [{say: '"+strings.Repeat("word ", 100)+"', call: {tool: Bash, input: {command: "+strings.Repeat("x", 400)+"}}}]}")
	for _, test := range []struct {
		tokens, blocks int
		stop           string
	}{{0, 0, "max_tokens"}, {10, 1, "max_tokens"}, {150, 2, "max_tokens"}, {1000, 2, "tool_use"}} {
		c := newChat(t, s, "x")
		c.body["max_tokens"] = test.tokens
		m := c.next()
		if m["stop_reason"] != test.stop || len(blocks(m)) != test.blocks {
			t.Errorf("%d tokens: %v", test.tokens, m)
		}
	}
}

func TestStopSequence(t *testing.T) {
	c := newChat(t, start(t, "fallback: {turns: [{say: one STOP two}]}"), "x")
	c.body["stop_sequences"] = list{"STOP"}
	m := c.next()
	if m["stop_reason"] != "stop_sequence" || m["stop_sequence"] != "STOP" || prose(m) != "one " {
		t.Errorf("%v", m)
	}
}

// A call that max_tokens cut off streams half of its JSON.
func TestTruncatedCall(t *testing.T) {
	c := newChat(t, start(t, "fallback: {turns: [{stop: max_tokens, call: {tool: Bash, input: {command: 'a long command'}}}]}"), "x")
	_, data, err := frames(c.open().Body)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(data, "\n")
	if !strings.Contains(all, `"stop_reason":"max_tokens"`) || !strings.Contains(all, `"partial_json":"{\"command\":\"a "`) {
		t.Errorf("%s", all)
	}
}

// A paused turn is continued by sending it back, merged or not.
func TestPauseTurn(t *testing.T) {
	s := start(t, "fallback: {turns: [{say: one, stop: pause_turn}, {say: two, stop: pause_turn}, {say: three}, {say: four}]}")
	c := newChat(t, s, "x")
	for _, want := range []string{"one", "two", "three"} {
		if m := c.next(); prose(m) != want {
			t.Fatalf("%v, want %s", m, want)
		}
	}
	m := c.messages()
	joined := append(append(append(list{}, m[1].(dict)["content"].(list)...), m[2].(dict)["content"].(list)...), m[3].(dict)["content"].(list)...)
	c.say(user("on"))
	if m := c.next(); prose(m) != "four" {
		t.Errorf("apart: %v", m)
	}
	c.body["messages"] = list{user("x"), assistant(joined), user("on")}
	if m := c.next(); prose(m) != "four" {
		t.Errorf("joined: %v", m)
	}
}
