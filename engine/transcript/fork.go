package transcript

import (
	"encoding/json"
	"time"

	"git-flower/engine/rawjson"
)

// Fork makes of one session's stored entries those with which another begins:
// the same conversation under the other's name. Calls that are open belong to the
// first session, which may still make them; the other is told that they were cut
// off, as of the time given. Made again after a crash, the entries have the same
// uuids. Nothing at all is forked to nothing. carryOn is Options.CarryOn.
//
// Nothing is made shorter: what is stored is for good, and the readings of the
// fork leave out what those of the first session do.
func Fork(entries []json.RawMessage, carryOn, session string, at time.Time) ([]json.RawMessage, error) {
	h, err := conversation(entries, carryOn, func([]*turn) (string, Report) { return "", Report{} })
	if err != nil {
		return nil, err
	}
	for len(h.Open) > 0 {
		id := h.Open[0].ID
		if _, err := h.Answer(id, Result{UUID: derived(session, id), Time: at, Text: CutOff, IsError: true}); err != nil {
			return nil, err
		}
	}
	forked := make([]json.RawMessage, len(h.Entries))
	for i, e := range h.Entries {
		forked[i] = rawjson.With(e, "sessionId", rawjson.Quoted(session))
	}
	return forked, nil
}
