package gitstate

import (
	"bytes"
	"errors"
	"strings"
)

// checkCommit checks P4 to P10, all that a commit says without its tree.
func (c *checker) checkCommit(r *checked) {
	if r.broken {
		return
	}
	if printed := r.commit.print(); !bytes.Equal(printed, r.raw) {
		c.say(r.id, "P7", "the commit is not tree, parents, author and the same committer alone")
	}
	for _, p := range r.commit.Parents {
		if parent := c.commits[p]; parent.commit.Unix > r.commit.Unix {
			c.say(r.id, "P6", "it is %d s older than its parent '%s'", parent.commit.Unix-r.commit.Unix, p)
		}
	}
	m, err := scanMessage(r.commit.Message)
	if err != nil {
		r.broken = true
		c.unreadable(r, err)
		return
	}
	r.message = m
	c.checkPlace(r)
	c.checkEncoding(r)
	c.note(r.id, m.Kind, m.Meta)
}

// note keeps what P24 is about. A snapshot of a worker's unfinished work, which
// a notice names, is needed until that worker reports.
func (c *checker) note(by ObjectID, kind Kind, m Meta) {
	switch {
	case kind == KindNotice && m.Worker != "" && m.Tip != "":
		c.snapshots[m.Worker] = named{m.Tip, by}
		m.Tip = ""
	case kind == KindReport:
		delete(c.snapshots, m.Worker)
	}
	for _, id := range []ObjectID{m.Code, m.Tip} {
		c.name(id, by)
	}
}

func (c *checker) name(id, by ObjectID) {
	if isObjectID(id) && c.named[id] == "" {
		c.named[id] = by
	}
}

// unreadable finds out which promise a message breaks that cannot be read.
func (c *checker) unreadable(r *checked, err error) {
	_, block := splitTrailers(r.commit.Message)
	switch format := checkFormat(string(block)); {
	case errors.Is(err, ErrFormat), format != nil:
		c.say(r.id, "P10", "%v", err)
	default:
		if _, bad := parseTrailers(string(block)); bad != nil {
			c.say(r.id, "P9", "%v", err)
			return
		}
		c.say(r.id, "P8", "%v", err)
	}
}

// checkPlace checks P4 and P5: the record's place in its run. The first record
// of the history says whose it is.
func (c *checker) checkPlace(r *checked) {
	if len(r.commit.Parents) == 0 {
		switch {
		case c.id != "":
			c.say(r.id, "P4", "it has no parent and is not the first record")
		case r.message.Kind != KindRequest:
			c.say(r.id, "P4", "the first record is a '%s'", r.message.Kind)
		}
	}
	if c.id == "" {
		c.id = r.message.Run
	}
	if c.id != r.message.Run {
		c.say(r.id, "P5", "its run is '%s', not '%s'", r.message.Run, c.id)
	}
}

// checkEncoding checks P8 and P9 by printing the message again.
func (c *checker) checkEncoding(r *checked) {
	m := r.message
	head, block := splitTrailers(r.commit.Message)
	wantHead, wantBlock := splitTrailers(m.print())
	if err := m.Meta.check(); err != nil {
		c.say(r.id, "P9", "%v", err)
	} else if !bytes.Equal(block, wantBlock) {
		c.say(r.id, "P9", "the trailers are not in their one encoding: %s", firstDifference(block, wantBlock))
	}
	if err := m.check(); err != nil {
		c.say(r.id, "P8", "%v", err)
	} else if !bytes.Equal(head, wantHead) {
		c.say(r.id, "P8", "the message is not in its one encoding: %s", firstDifference(head, wantHead))
	}
}

// firstDifference is the first line that is not as it should be.
func firstDifference(got, want []byte) string {
	wanted := strings.Split(string(want), "\n")
	for i, line := range strings.Split(string(got), "\n") {
		if i >= len(wanted) || line != wanted[i] {
			return "line '" + cutColumns(cleanLine(line), maxSubject) + "'"
		}
	}
	return "it ends too early"
}
