package rehearse

import "time"

// An answer is a message of the model, before it is put on the wire.
type answer struct {
	id           string
	model        string
	content      []part
	stop         string
	stopSequence string
	refused      bool
	usage        usage
	delay, pace  time.Duration
	fault        *fault // what goes wrong on the wire
}

// A part is one content block of an answer.
type part struct {
	kind      string // thinking, redacted_thinking, text, tool_use, server_tool_use
	text      string
	hidden    int // bytes of thinking that are not shown but counted
	signature string
	id, name  string
	input     string // JSON, perhaps cut off
}

func (p part) size() int { return len(p.text) + p.hidden + len(p.name) + len(p.input) }

// compose writes the answer that a reply describes, without signatures.
func (st *stage) compose(r *request, rep *reply) (*answer, error) {
	a := &answer{model: r.model.id, stop: rep.stop, delay: rep.delay, pace: rep.pace}
	if err := st.speak(a, r, rep); err != nil {
		return nil, err
	}
	if err := st.addCalls(a, r, rep); err != nil {
		return nil, err
	}
	if a.stop == "" {
		a.stop = "end_turn"
		if len(rep.calls) > 0 {
			a.stop = "tool_use"
		}
	}
	st.end(a)
	return a, nil
}

// speak writes thinking and prose. With a budget a model thinks before each
// answer; an answer that did not begin so could not be sent back.
func (st *stage) speak(a *answer, r *request, rep *reply) error {
	thinking, err := rep.thinking.render(st)
	if err != nil {
		return err
	}
	if thinking == "" && r.manual {
		thinking = "Hm."
	}
	if thinking != "" && r.thinks {
		a.content = append(a.content, part{kind: "thinking", text: thinking})
	}
	say, err := rep.say.render(st)
	if err != nil {
		return err
	}
	if say != "" {
		a.content = append(a.content, part{kind: "text", text: say})
	}
	return nil
}
