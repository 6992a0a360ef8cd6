package rehearse

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// end applies the stop reasons that change the content.
func (st *stage) end(a *answer) {
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

// limit keeps the answer to what the request allows: stop sequences and
// max_tokens. Text that is then empty is left out, since it could not be sent back.
func (a *answer) limit(r *request) {
	a.stopAt(r.stops)
	room := r.maxTokens * 4
	for i := range a.content {
		size := int64(a.content[i].size())
		if size <= room {
			room -= size
			continue
		}
		a.stop = "max_tokens"
		a.content[i] = a.content[i].cut(int(room))
		a.content = a.content[:i+1]
		if room == 0 {
			a.content = a.content[:i]
		}
		break
	}
	a.content = slices.DeleteFunc(a.content, func(p part) bool { return p.kind == "text" && p.text == "" })
}

// stopAt ends the answer at the first stop sequence.
func (a *answer) stopAt(stops []string) {
	for i, p := range a.content {
		for _, s := range stops {
			if at := strings.Index(p.text, s); at >= 0 && p.kind == "text" {
				a.content[i].text = p.text[:at]
				a.content = a.content[:i+1]
				a.stop, a.stopSequence = "stop_sequence", s
				return
			}
		}
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
				p.hidden, p.text = len(p.text), ""
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
