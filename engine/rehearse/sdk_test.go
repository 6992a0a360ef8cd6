package rehearse

import (
	"encoding/json"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

const sdkScript = `
scenes:
  - name: worker
    who: {system: '(?m)^Role: worker$', tools: [Bash]}
    turns:
      - thinking: let me look
        say: I run it.
        call: {tool: Bash, input: {command: "echo {{.cap.what}}"}}
      - say: "It said: {{result \"Bash\" | trim}}"
    what: {first: 'run (?P<what>\w+)'}
`

// The official client plays a whole turn with tools, streaming.
func TestSDK(t *testing.T) {
	s := start(t, sdkScript)
	client := anthropic.NewClient(option.WithoutEnvironmentDefaults(), option.WithBaseURL(s.URL()),
		option.WithAPIKey(s.Key()), option.WithMaxRetries(0), option.WithoutOpenTelemetry())
	params := anthropic.MessageNewParams{
		Model: "claude-opus-5-5", MaxTokens: 1000,
		System:   []anthropic.TextBlockParam{{Text: "You are a test.\nRole: worker\n"}},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("run hello"))},
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "Bash",
			InputSchema: anthropic.ToolInputSchemaParam{Properties: map[string]any{"command": map[string]any{"type": "string"}}}}}},
	}
	m := streamed(t, client, params)
	if m.StopReason != anthropic.StopReasonToolUse || len(m.Content) != 3 {
		t.Fatalf("first answer: %s", m.RawJSON())
	}
	call := m.Content[2]
	var input struct{ Command string }
	if err := json.Unmarshal(call.Input, &input); err != nil || input.Command != "echo hello" {
		t.Fatalf("input %s: %v", call.Input, err)
	}
	params.Messages = append(params.Messages, m.ToParam(),
		anthropic.NewUserMessage(anthropic.NewToolResultBlock(call.ID, "hello\n", false)))
	m = streamed(t, client, params)
	if m.StopReason != anthropic.StopReasonEndTurn || m.Content[0].Text != "It said: hello" {
		t.Fatalf("second answer: %s", m.RawJSON())
	}
	if m.Usage.InputTokens == 0 || m.Usage.OutputTokens == 0 {
		t.Errorf("usage %+v", m.Usage)
	}
	if p := append(s.Problems(), s.Refusals()...); len(p) > 0 {
		t.Errorf("problems: %q", p)
	}
}

func streamed(t *testing.T, c anthropic.Client, p anthropic.MessageNewParams) anthropic.Message {
	t.Helper()
	stream := c.Messages.NewStreaming(t.Context(), p)
	var m anthropic.Message
	for stream.Next() {
		if err := m.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return m
}
