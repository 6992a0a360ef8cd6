package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const words = "Please carry on."

func TestWordsAreCutOut(t *testing.T) {
	const (
		q       = `{"role":"user","content":"go"}`
		env     = `{"role":"system","output_config":{"effort":"medium"},"content":"# Environment"}`
		call    = `{"role":"assistant","content":[{"type":"thinking","thinking":"h\u006dm","signature":"s=="},{"type":"tool_use","id":"t1","name":"Bash","input":{"a":1.0}}]}`
		result  = `{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"hi"}]}`
		said    = `{"role":"assistant","content":[{"type":"text","text":"done"}]}`
		made    = `{"role":"assistant","content":[{"type":"text","text":"No response requested."}]}`
		plain   = `{"role":"user","content":"Please carry on."}`
		block   = `{"role":"user","content":[{"type":"text","text":"Please carry on."}]}`
		marked  = `{"role":"user","content":[{"type":"text","text":"Please carry on.","cache_control":{"type":"ephemeral","ttl":"1h"}}]}`
		thought = `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"x","signature":"s"}]}`
		mark    = `,"cache_control":{"type":"ephemeral","ttl":"1h"}`
		paused  = `{"role":"assistant","content":[{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}]}`
	)
	for _, c := range []struct {
		name     string
		messages []string
		want     []string // nil: nothing changes
	}{
		{"none", []string{q, env, call, result}, nil},
		{"behind results", []string{q, env, call, `{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"hi"},{"type":"text","text":"Please carry on."}]}`},
			[]string{q, env, call, result}},
		{"behind results, marked", []string{q, env, call, `{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"hi"},{"type":"text","text":"Please carry on.","cache_control":{"type":"ephemeral","ttl":"1h"}}]}`},
			[]string{q, env, call, `{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"hi"` + mark + `}]}`}},
		{"with the line feed of a text that is followed", []string{q, said, `{"role":"user","content":[{"type":"text","text":"again\n"},{"type":"text","text":"Please carry on.\n"},{"type":"text","text":"last"}]}`},
			[]string{q, said, `{"role":"user","content":[{"type":"text","text":"again\n"},{"type":"text","text":"last"}]}`}},
		{"resumed", []string{q, env, call, result, made, marked}, []string{q, env, call, `{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"hi"` + mark + `}]}`}},
		{"resumed, later", []string{q, env, call, result, made, plain, said, q}, []string{q, env, call, result, said, q}},
		{"resumed twice", []string{q, made, plain, made, block, said}, []string{q, said}},
		{"resumed behind a system message", []string{q, env, made, marked}, []string{q, `{"role":"system","output_config":{"effort":"medium"},"content":[{"type":"text","text":"# Environment"` + mark + `}]}`}},
		{"before a system message", []string{q, made, plain, env, said}, []string{q, env, said}},
		{"alone in its message between answers", []string{q, said, plain, said}, []string{q, `{"role":"assistant","content":[{"type":"text","text":"done"},{"type":"text","text":"done"}]}`}},
		{"neighbours that touch", []string{q, made, plain, result}, []string{`{"role":"user","content":[{"type":"text","text":"go"},{"tool_use_id":"t1","type":"tool_result","content":"hi"}]}`}},
		{"with a reminder", []string{q, made, `{"role":"user","content":[{"type":"text","text":"<system-reminder>x"},{"type":"text","text":"Please carry on."}]}`},
			[]string{`{"role":"user","content":[{"type":"text","text":"go"},{"type":"text","text":"<system-reminder>x"}]}`}},
		{"with a reminder, where the answer must stay", []string{q, env, made, `{"role":"user","content":[{"type":"text","text":"<system-reminder>x"},{"type":"text","text":"Please carry on."}]}`},
			[]string{q, env, made, `{"role":"user","content":[{"type":"text","text":"<system-reminder>x"}]}`}},
		{"first", []string{plain, q}, []string{q}},
		{"a mark with nothing before it", []string{marked, q}, []string{q}},
		{"a mark behind reasoning", []string{q, thought, marked, said},
			[]string{q, `{"role":"assistant","content":[{"type":"text","text":"a"` + mark + `},{"type":"thinking","thinking":"x","signature":"s"},{"type":"text","text":"done"}]}`}},
		{"behind work of the server", []string{q, paused, plain}, []string{q, paused}},
		{"nothing else", []string{plain}, nil},
		{"behind a finished answer", []string{q, said, plain}, nil},
		{"between an answer and a system message", []string{q, said, plain, env}, nil},
		{"between a system message and a user's", []string{q, env, made, plain, q}, []string{q, env, made, q}},
		{"said by the model", []string{q, `{"role":"assistant","content":"Please carry on."}`, q}, nil},
		{"part of a text", []string{q, said, `{"role":"user","content":"Please carry on. Now."}`}, nil},
		{"in a result", []string{q, call, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"Please carry on."}]}`}, nil},
		{"a made-up answer elsewhere", []string{q, made, q}, nil},
		{"no message at all", []string{`7`, plain}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			wrap := func(ms []string) string {
				return `{ "model":"m" , "messages":[` + strings.Join(ms, ",") + `],"x":[1.50]}`
			}
			in := wrap(c.messages)
			want := in
			if c.want != nil {
				want = wrap(c.want)
			}
			if got := string(carriedOn([]byte(in), words)); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if got := string(carriedOn([]byte(in), "")); got != in {
				t.Errorf("without words: %s", got)
			}
		})
	}
}

func TestEscapedWordsAreTheSame(t *testing.T) {
	in := `{"messages":[{"role":"user","content":"go"},{"role":"user","content":[{"text":"中\u6587 \"\ud83d\ude00\"","type":"text"}]}]}`
	if got, want := string(carriedOn([]byte(in), "中文 \"😀\"")), `{"messages":[{"role":"user","content":"go"}]}`; got != want {
		t.Errorf("got %s", got)
	}
}

// FuzzCarriedOn holds whatever the bytes are: JSON stays JSON, a body without
// the words stays as it is, and what was cut is cut at once.
func FuzzCarriedOn(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"text","text":"No response requested."}]},{"role":"user","content":"w"}]}`), "w")
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":" w","cache_control":{}}]}],"messages":[]}`), "w")
	f.Add([]byte(`{"messages":[{"role":"user","content":"","content":null},{"role":"user","content":"w","role":"system"}]}`), "w")
	f.Fuzz(func(t *testing.T, body []byte, words string) {
		if _, ok := look(body); !ok {
			return
		}
		got := carriedOn(body, words)
		if _, ok := look(got); !ok {
			t.Fatalf("%s became %s", body, got)
		}
		if len(got) == len(body) && !bytes.Equal(got, body) {
			t.Fatalf("%s became %s, as long", body, got)
		}
		if again := carriedOn(got, words); !bytes.Equal(again, got) {
			t.Fatalf("%s became %s, then %s", body, got, again)
		}
		if !bytes.Equal(got, body) && !holds(body, words) {
			t.Fatalf("%s became %s without the words", body, got)
		}
	})
}

// holds looks for the words the slow way.
func holds(body []byte, words string) bool {
	var texts func(v any) bool
	texts = func(v any) bool {
		switch v := v.(type) {
		case string:
			return strings.TrimSpace(v) == strings.TrimSpace(words)
		case []any:
			return slices.ContainsFunc(v, texts)
		case map[string]any:
			for _, e := range v {
				if texts(e) {
					return true
				}
			}
		}
		return false
	}
	var v any
	_ = json.Unmarshal(body, &v)
	return texts(v)
}

// Conversations that the API takes stay ones, and everything but the words and
// the made-up answers before them is in the result with its own bytes, in order.
func TestConversationsStayLegal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := conversations(t)
		in := []byte(`{"messages":[` + strings.Join(ms, ",") + `]}`)
		if why := illegal(in); why != "" {
			t.Fatalf("the generator is wrong: %s: %s", why, in)
		}
		out := carriedOn(in, words)
		if why := illegal(out); why != "" {
			t.Fatalf("%s\nin  %s\nout %s", why, in, out)
		}
		if n := bytes.Count(in, []byte("cache_control")) - bytes.Count(out, []byte("cache_control")); n < 0 {
			t.Fatalf("marks were made\nin  %s\nout %s", in, out)
		}
		for i := range ms { // every block that is no word of ours has a number
			number := fmt.Appendf(nil, "<%d>", i)
			if bytes.Count(in, number) != bytes.Count(out, number) {
				t.Fatalf("%s was lost\nin  %s\nout %s", number, in, out)
			}
		}
	})
}

// conversations draws one that the API takes, in the shapes that the CLI sends.
func conversations(t *rapid.T) []string {
	mark := func() string {
		return rapid.SampledFrom([]string{"", "", `,"cache_control":{"type":"ephemeral"}`}).Draw(t, "mark")
	}
	block := func(text string) string { return `{"type":"text","text":"` + text + `"` + mark() + `}` }
	message := func(role string, blocks ...string) string {
		return `{"role":"` + role + `","content":[` + strings.Join(blocks, ",") + `]}`
	}
	var ms []string
	for n := rapid.IntRange(1, 8).Draw(t, "exchanges"); n > 0; n-- {
		number := func() string { return fmt.Sprintf("<%d>", len(ms)) }
		switch rapid.SampledFrom([]string{"text", "block", "words", "plain words", "beside", "resumed"}).Draw(t, "user") {
		case "text":
			ms = append(ms, `{"role":"user","content":"`+number()+`"}`)
		case "block":
			ms = append(ms, message("user", block(number())))
		case "words":
			ms = append(ms, message("user", block(words)))
		case "plain words":
			ms = append(ms, `{"role":"user","content":"`+words+`"}`)
		case "beside":
			ms = append(ms, message("user", block(number()), block(words)))
		case "resumed":
			ms = append(ms, message("user", block(number())))
			if rapid.Bool().Draw(t, "system before") {
				ms = append(ms, `{"role":"system","content":"`+number()+`"}`)
			}
			ms = append(ms, message("assistant", block(notAsked)), message("user", block(words)))
		}
		if rapid.Bool().Draw(t, "system") {
			ms = append(ms, `{"role":"system","content":"`+number()+`"}`)
		}
		if n > 1 {
			ms = append(ms, message("assistant", `{"type":"thinking","thinking":"`+number()+`","signature":"s"}`, block("answer")))
		}
	}
	return ms
}

// illegal is what the API would say.
func illegal(body []byte) string {
	var v struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return err.Error()
	}
	if len(v.Messages) == 0 || v.Messages[0].Role != "user" {
		return "does not begin with the user"
	}
	for i, m := range v.Messages {
		next, before := "", ""
		if i > 0 {
			before = v.Messages[i-1].Role
		}
		if i+1 < len(v.Messages) {
			next = v.Messages[i+1].Role
		}
		switch {
		case m.Role == before:
			return "two of a role"
		case string(m.Content) == "[]":
			return "an empty message"
		case m.Role == "system" && (before != "user" || next == "user"):
			return "a system message out of place"
		case m.Role == "assistant" && next == "":
			return "ends with an answer"
		case bytes.Contains(m.Content, []byte(`"signature":"s","cache_control"`)):
			return "a mark on reasoning"
		}
	}
	return ""
}
