package rehearse

import (
	"fmt"
	"regexp"
	"time"
)

// A Script says what the model answers. It does not change once parsed and
// may be played by several servers at once.
type Script struct {
	models   map[string]model
	scenes   []*scene
	fallback *scene
}

// A scene is what one kind of asker hears.
type scene struct {
	name    string
	system  patterns // on the system prompt
	model   patterns // on the model's name
	tools   []string // all offered
	without []string // none offered
	first   patterns // on the first user message
	last    patterns // on the last user message
	any     patterns // on the whole conversation
	not     patterns // none may match the conversation
	since   *regexp.Regexp
	turns   []turn
	repeat  bool
}

// patterns must all match.
type patterns []*regexp.Regexp

// A turn holds alternatives, tried in order.
type turn struct {
	at      node
	choices []choice
}

// A choice is a condition on the conversation and what is then answered.
type choice struct {
	cond  *condition // nil: always
	reply reply
}

// A condition looks at the results that the last user message brought, and at
// the conversation.
type condition struct {
	result patterns // on the results' text
	tool   string   // only results of this tool; there must be one
	failed *bool    // whether one of them is an error
	last   patterns
	any    patterns
	not    patterns
}

// A reply is one answer of the model.
type reply struct {
	thinking *text
	say      *text
	calls    []call
	stop     string
	usage    map[string]int64 // overrides
	delay    time.Duration    // before the first byte
	pace     time.Duration    // between events
	faults   []fault
	given    bool // the script says something here
}

// A call of a tool.
type call struct {
	tool    *text
	input   value
	unknown bool // may name a tool that is not offered
}

// A fault is played instead of the answer, times times for one turn of one conversation.
type fault struct {
	kind       string // error, drop, stall, malformed, cut, empty, nonsense, truncate, refusal, pause
	times      int64  // -1: always
	after      int64  // events sent before; -1: none, nor headers
	status     int
	errorType  string
	message    string
	retryAfter string
	words      *text // nonsense
}

// Longest is the longest time for which the script says nothing on purpose.
func (s *Script) Longest() time.Duration {
	var longest time.Duration
	scenes := s.scenes
	if s.fallback != nil {
		scenes = append(scenes[:len(scenes):len(scenes)], s.fallback)
	}
	for _, scene := range scenes {
		for _, turn := range scene.turns {
			for _, c := range turn.choices {
				longest = max(longest, c.reply.delay, c.reply.pace)
			}
		}
	}
	return longest
}

// Parse reads a script. An error names line:column and the field.
func Parse(script []byte) (*Script, error) {
	root, err := parseYAML(script)
	if err != nil {
		return nil, fmt.Errorf("parse script: %w", err)
	}
	s, err := readScript(root)
	if err != nil {
		return nil, fmt.Errorf("parse script: %w", err)
	}
	return s, nil
}

func readScript(root node) (*Script, error) {
	f, err := root.fields("models", "scenes", "fallback", "about", "shared")
	if err != nil {
		return nil, err
	}
	s := &Script{models: map[string]model{}}
	r := &reader{}
	r.with(f, "about", func(n node) { r.words(n) })
	r.with(f, "models", func(n node) { s.models = r.models(n) })
	r.with(f, "scenes", func(n node) {
		for _, item := range r.items(n) {
			s.scenes = append(s.scenes, r.scene(item))
		}
	})
	r.with(f, "fallback", func(n node) { s.fallback = r.scene(n); s.fallback.name = "fallback" })
	if r.err == nil && s.fallback == nil && len(s.scenes) == 0 {
		return nil, root.fail("needs scenes or a fallback")
	}
	r.distinct(root, s.scenes)
	return s, r.err
}
