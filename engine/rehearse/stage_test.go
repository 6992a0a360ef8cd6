package rehearse

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Functions of templates.
func TestFunctions(t *testing.T) {
	for text, want := range map[string]string{
		`{{lines .first | len}}`:                        "3",
		`{{first .first}}`:                              "one 1",
		`{{lines .first | first}}`:                      "one 1",
		`{{lines .first | join ","}}`:                   "one 1,two,three",
		`{{upper (first .first)}} {{lower "ABC"}}`:      "ONE 1 abc",
		`{{replace "one" "four" (first .first)}}`:       "four 1",
		`{{trim "  x "}}`:                               "x",
		`{{quote "a\"b<"}}`:                             `"a\"b<"`,
		`{{json .tools}}`:                               `["Bash"]`,
		`{{find "t(w.)" .first}}`:                       "wo",
		`{{find "thr.." .first}}`:                       "three",
		`{{.scene}} {{.turn}} {{.model}}`:               "fallback 1 claude-opus-5-5",
		`{{if eq (first .last) "one 1"}}yes{{end}}`:     "yes",
		`{{range $i, $l := lines .first}}{{$i}}{{end}}`: "012",
		`{{trim .system}}`:                              "Be brief.",
		`no action, {one} brace`:                        "no action, {one} brace",
		`{{"{{"}}`:                                      "{{",
		`{{len .results}}{{range .results}}x{{end}}`:    "0",
		`{{printf "%03d" 7}}`:                           "007",
	} {
		s := start(t, "fallback:\n  turns:\n    - say: |-\n        "+text+"\n")
		if m := newChat(t, s, "one 1\ntwo\nthree").next(); prose(m) != want {
			t.Errorf("%s: %q, want %q", text, prose(m), want)
		}
	}
}

// A template cannot make an answer of any length.
func TestTextTooLong(t *testing.T) {
	s := start(t, "fallback: {turns: [{say: '{{range $a := lines .first}}{{range $b := lines $.first}}{{$.first}}{{end}}{{end}}'}]}")
	newChat(t, s, strings.Repeat("0123456789\n", 300)).refused("too long")
}

func TestStopReasons(t *testing.T) {
	for _, stop := range stops {
		s := start(t, "fallback: {turns: [{say: some words, stop: "+stop+"}]}")
		m := newChat(t, s, "x").next()
		if m["stop_reason"] != stop {
			t.Errorf("%s: %v", stop, m)
		}
		if (m["stop_details"] != nil) != (stop == "refusal") || (m["stop_sequence"] != nil) != (stop == "stop_sequence") {
			t.Errorf("%s: %v", stop, m)
		}
	}
}

// Counting the answers of a conversation.
func TestAnswers(t *testing.T) {
	cut := func(id string) dict { return answered(id, "[interrupted] by a crash") }
	pause := dict{"type": "server_tool_use", "id": "s", "name": "web_search", "input": dict{}}
	for _, test := range []struct {
		name         string
		messages     list
		counted, cut int
	}{
		{"none", list{user("x")}, 0, 0},
		{"one", list{user("x"), assistant("y"), user("z")}, 1, 0},
		{"merged", list{user("x"), assistant("y"), assistant("y2"), user("z")}, 1, 0},
		{"cut off", list{user("x"), assistant(list{use("a")}), user(list{cut("a")})}, 0, 1},
		{"cut off twice", list{user("x"), assistant(list{use("a")}), user(list{cut("a")}), assistant(list{use("b")}), user(list{cut("b")})}, 0, 2},
		{"cut off, then words", list{user("x"), assistant(list{use("a")}), user(list{cut("a"), words("go on")})}, 0, 1},
		{"cut off in part", list{user("x"), assistant(list{use("a"), use("b")}), user(list{cut("a"), answered("b", "r")})}, 1, 0},
		{"cut off, then not", list{user("x"), assistant(list{use("a")}), user(list{cut("a")}), assistant("y"), user("z")}, 1, 0},
		{"cut off as a quotation", list{user("x"), assistant(list{use("a")}), user(list{answered("a", "it said [interrupted]")})}, 1, 0},
		{"paused", list{user("x"), assistant(list{words("y"), pause})}, 1, 0},
		{"paused and continued", list{user("x"), assistant(list{words("y"), pause}), assistant("z"), user("a")}, 2, 0},
	} {
		a := (&Server{}).goodAsk()
		a.body["messages"] = test.messages
		body, _ := asJSON(a.body)
		script := &Script{}
		r, err := script.parseRequest([]byte(body), header{version: newest}, false)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if counted, cut := converse(r).answers(-1); counted != test.counted || cut != test.cut {
			t.Errorf("%s: %d counted, %d cut off", test.name, counted, cut)
		}
	}
}

// What one script calls equal, another writing of the same JSON is too.
func TestNormal(t *testing.T) {
	same := [][2]string{
		{`{"type":"text","text":"a"}`, "{ \"text\" : \"\\u0061\" ,\n \"type\":\"text\" }"},
		{`{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}`, `{"type":"text","text":"a"}`},
		{`{"content":[{"type":"text","text":"<"}]}`, `{"content": [ {"text":"\u003c","type":"text","cache_control":{}} ]}`},
		{`{"input":{"a":[1,true,null]}}`, `{"input": { "a" : [ 1, true, null ] }}`},
	}
	for _, pair := range same {
		if a, b := normalBlock(members([]byte(pair[0]))), normalBlock(members([]byte(pair[1]))); string(a) != string(b) {
			t.Errorf("%s and %s", a, b)
		}
	}
	different := [][2]string{
		{`{"input":{"a":1,"b":2}}`, `{"input":{"b":2,"a":1}}`},
		{`{"input":{"a":"1"}}`, `{"input":{"a":1}}`},
		{`{"input":["a,b"]}`, `{"input":["a","b"]}`},
		{`{"input":["a\",\"b"]}`, `{"input":["a","b"]}`},
		{`{"input":{"cache_control":1}}`, `{"input":{}}`},
	}
	for _, pair := range different {
		if a, b := normalBlock(members([]byte(pair[0]))), normalBlock(members([]byte(pair[1]))); string(a) == string(b) {
			t.Errorf("%s equals %s", pair[0], pair[1])
		}
	}
}

// A signature opens with its own text and words only.
func TestSeal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := seal{words: [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(rt, "words"))}
		text := rapid.String().Draw(rt, "text")
		signature := s.sign(text)
		if got, ok := open(signature, text); !ok || got != s {
			rt.Fatal("does not open")
		}
		if _, ok := open(signature, text+"x"); ok {
			rt.Fatal("opens with other text")
		}
		if _, ok := open(signature[:len(signature)-4]+"AAAA", text); ok && !strings.HasSuffix(signature, "AAAA") {
			rt.Fatal("opens though it was changed")
		}
	})
}

func TestSteady(t *testing.T) {
	a := steady("Look at /home/a/x.go and C:\\x\\y.go on 2026-11-30 after 1.5s at 0123abcdef0")
	b := steady("Look at /srv/b/c/d.go and D:\\z.go on 2027-01-02T03:04:05Z after 12ms at fedcba98765")
	if a != b {
		t.Errorf("%q and %q", a, b)
	}
	if kept := steady("add 2 and 2, then see main.go"); kept != "add 2 and 2, then see main.go" {
		t.Errorf("%q", kept)
	}
}
