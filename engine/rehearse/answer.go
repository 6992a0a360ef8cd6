package rehearse

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

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
	signature string
	id, name  string
	input     string // JSON, perhaps cut off
}

func (p part) size() int { return len(p.text) + len(p.name) + len(p.input) }

// compose writes the answer that a reply describes.
func (st *stage) compose(r *request, c *chainer, rep *reply) (*answer, error) {
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
	st.end(a, rep)
	a.limit(r)
	a.seal(r, c)
	return a, nil
}

func (st *stage) speak(a *answer, r *request, rep *reply) error {
	thinking, err := rep.thinking.render(st)
	if err != nil {
		return err
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

func (st *stage) addCalls(a *answer, r *request, rep *reply) error {
	used := map[string]bool{}
	for _, t := range st.c.turns {
		for _, b := range t.blocks {
			used[b.id] = true
		}
	}
	thought := len(a.content) > 0 && a.content[0].kind == "thinking"
	for i, cl := range rep.calls {
		p := part{kind: "tool_use"}
		var err error
		if p.name, err = cl.tool.render(st); err != nil {
			return err
		}
		if !cl.unknown && !r.offers(p.name) {
			return cl.tool.at.fail("the tool '%s' is not offered (unknown: true calls it all the same)", p.name)
		}
		var input strings.Builder
		if err := cl.input.render(st, &input); err != nil {
			return err
		}
		p.input = input.String()
		p.id = st.callID(i, thought, used)
		used[p.id] = true
		a.content = append(a.content, p)
	}
	return nil
}

// thoughtMark begins ids of calls that thinking came before.
const (
	thoughtMark = "toolu_rt"
	plainMark   = "toolu_rp"
)

func thoughtBefore(id string) bool { return strings.HasPrefix(id, thoughtMark) }

// callID makes the id of a call out of the scene, the answer's number, the
// call's number and how the conversation began, so that reruns are equal.
func (st *stage) callID(i int, thought bool, used map[string]bool) string {
	mark := plainMark
	if thought {
		mark = thoughtMark
	}
	for salt := 0; ; salt++ {
		sum := digest(st.scene.name, fmt.Sprint(st.overall, st.cut, i, salt), steady(st.c.opening))
		if id := mark + sum[:22]; !used[id] {
			return id
		}
	}
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// end applies the stop reasons that change the content.
func (st *stage) end(a *answer, rep *reply) {
	switch a.stop {
	case "max_tokens":
		if n := len(a.content); n > 0 {
			a.content[n-1] = a.content[n-1].half()
		}
	case "pause_turn":
		a.pause(st)
	case "refusal":
		a.refused = true
	case "stop_sequence":
		a.stopSequence = "\n\n"
	}
}

// pause ends the answer in a search of the server's that has no result yet.
func (a *answer) pause(st *stage) {
	sum := digest("pause", st.scene.name, fmt.Sprint(st.overall), steady(st.c.opening))
	a.stop = "pause_turn"
	a.content = append(a.content, part{kind: "server_tool_use", id: "srvtoolu_r" + sum[:22], name: "web_search", input: `{"query":"rehearsal"}`})
}

// half cuts a part in the middle.
func (p part) half() part {
	if p.kind == "tool_use" {
		p.input = cutRunes(p.input, max(1, len(p.input)/2))
		return p
	}
	p.text = cutRunes(p.text, max(1, len(p.text)/2))
	return p
}

// cutRunes shortens a text to at most n bytes, between letters.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// limit keeps the answer to what the request allows: stop sequences and max_tokens.
func (a *answer) limit(r *request) {
	for i, p := range a.content {
		if p.kind != "text" {
			continue
		}
		for _, s := range r.stops {
			if at := strings.Index(p.text, s); at >= 0 {
				a.content[i].text = p.text[:at]
				a.content = a.content[:i+1]
				a.stop, a.stopSequence = "stop_sequence", s
				return
			}
		}
	}
	room := int(r.maxTokens) * 4
	for i := range a.content {
		size := a.content[i].size()
		if size <= room {
			room -= size
			continue
		}
		a.stop = "max_tokens"
		a.content[i] = a.content[i].cut(room)
		a.content = a.content[:i+1]
		if a.content[i].size() == 0 || room == 0 {
			a.content = a.content[:i]
		}
		return
	}
}

func (p part) cut(room int) part {
	if p.kind == "tool_use" || p.kind == "server_tool_use" {
		p.input = cutRunes(p.input, max(0, room-len(p.name)))
		return p
	}
	p.text = cutRunes(p.text, room)
	return p
}

// seal signs the thinking, each part with what stands before it.
func (a *answer) seal(r *request, c *chainer) {
	words := c.words
	before := ""
	for _, s := range c.all {
		if s.block != nil && s.block.isThinking() {
			before = s.block.signature
		}
	}
	for i := range a.content {
		p := &a.content[i]
		if p.kind == "thinking" {
			if !r.shows {
				p.text = ""
			}
			p.signature = seal{words: words, chain: signatureChain(before)}.sign(p.text)
			before = p.signature
			continue
		}
		words = link(words, "assistant", normalBlock(p.raw()))
	}
}

// raw is the part as a client sends it back.
func (p part) raw() map[string]json.RawMessage {
	b, _ := asJSON(p.wire()) // strings and valid JSON
	return members([]byte(b))
}

// tokens is what the answer counts as output.
func (a *answer) tokens() int64 {
	var sum int64
	for _, p := range a.content {
		sum += max(1, int64(p.size()+3)/4)
	}
	return max(1, sum)
}
