package rehearse

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

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
		if tool, offered := toolNamed(st.c.tools, p.name); offered {
			p.name = tool
		} else if !cl.unknown {
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
