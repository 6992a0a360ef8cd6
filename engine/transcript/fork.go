package transcript

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"git-flower/engine/rawjson"
)

// Fork makes of one session's stored entries those with which another begins:
// the same conversation under the other's name. Calls that are open belong to the
// first session, which may still make them; the other is told that they were cut
// off, as of the time given. Nothing at all is forked to nothing.
func Fork(entries []json.RawMessage, o Options, session string, at time.Time) ([]json.RawMessage, error) {
	h, err := Read(entries, o)
	if err != nil {
		return nil, err
	}
	for len(h.Open) > 0 {
		id := h.Open[0].ID
		if _, err := h.Answer(id, Result{UUID: answerID(session, id), Time: at, Text: CutOff, IsError: true}); err != nil {
			return nil, err
		}
	}
	forked := make([]json.RawMessage, len(h.Entries))
	for i, e := range h.Entries {
		forked[i] = rawjson.With(e, "sessionId", rawjson.Quoted(session))
	}
	return forked, nil
}

// answerID is the uuid of an answer to a call in a session: always the same, so
// that a fork that a crash interrupted is the same when it is made again.
func answerID(session, call string) string {
	b := sha256.Sum256([]byte(session + " " + call))
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
