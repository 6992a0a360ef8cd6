package harnesstest

import "encoding/json"

// An entry is what the suite looks at in a line of a transcript.
type entry struct {
	UUID, SessionID, Type, Timestamp string
	ParentUUID                       *string
	Message                          json.RawMessage
}

// entries are those of the case's session that are part of a chain: the user's,
// the assistant's, and what a harness put in between. Others have no id.
func (c *Case) entries() []entry {
	c.Helper()
	lines, err := c.Transcript.Load(c.Ctx, c.Options.Session)
	if err != nil {
		c.Fatal(err)
	}
	var all []entry
	for _, line := range lines {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			c.Fatal(err)
		}
		if e.UUID != "" || e.isSpoken() {
			all = append(all, e)
		}
	}
	return all
}

func (e entry) isSpoken() bool { return e.Type == "user" || e.Type == "assistant" }

// spoken are the entries of the user and the assistant; there is at least one.
func (c *Case) spoken() []entry {
	c.Helper()
	var said []entry
	for _, e := range c.entries() {
		if e.isSpoken() {
			said = append(said, e)
		}
	}
	if len(said) == 0 {
		c.Fatal("the transcript holds nothing that was said")
	}
	return said
}

// checkChain sees that the entries hang together: each names one before it, or
// none if it is the first, and the chain back from what was said last holds all
// that was said, in order.
func (c *Case) checkChain() {
	c.Helper()
	before := map[string]entry{}
	for i, e := range c.entries() {
		known := e.ParentUUID == nil && i == 0
		if e.ParentUUID != nil {
			_, known = before[*e.ParentUUID]
		}
		_, twice := before[e.UUID]
		if !known || twice || e.SessionID != c.Options.Session || e.UUID == "" || e.Timestamp == "" {
			c.Errorf("entry %d: %+v", i, e)
		}
		before[e.UUID] = e
	}
	said := c.spoken()
	at := len(said) - 1
	for e, ok := said[at], true; ok; {
		if e.isSpoken() {
			if at < 0 || said[at].UUID != e.UUID {
				c.Errorf("the chain leaves out or misplaces what was said: %+v", e)
				return
			}
			at--
		}
		if e.ParentUUID == nil {
			break
		}
		e, ok = before[*e.ParentUUID]
	}
	if at >= 0 {
		c.Errorf("%d entries are not in the chain", at+1)
	}
}
