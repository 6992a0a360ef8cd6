package gitstate

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A commit is a commit object of git, taken apart as far as records need it.
type commit struct {
	Tree    ObjectID
	Parents []ObjectID
	Author  string // "Name <address>"
	Unix    int64  // committer's
	Zone    string // "+0200"
	Message []byte
}

// print returns the object's content. Author and committer are the same.
func (c commit) print() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	who := c.Author + " " + strconv.FormatInt(c.Unix, 10) + " " + c.Zone
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n", who, who)
	b.Write(c.Message)
	return b.Bytes()
}

// parseCommit reads any commit. Headers that records do not have are passed
// over; fsck finds them by printing the commit again.
func parseCommit(raw []byte) (commit, error) {
	var c commit
	head, text, ok := bytes.Cut(raw, []byte("\n\n"))
	if !ok {
		return c, errors.New("no message")
	}
	c.Message = text
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		key, value, _ := bytes.Cut(line, []byte{' '})
		switch string(key) {
		case "tree":
			c.Tree = ObjectID(value)
		case "parent":
			c.Parents = append(c.Parents, ObjectID(value))
		case "author":
			c.Author, _, _ = splitIdent(string(value))
		case "committer":
			var when string
			_, when, c.Zone = splitIdent(string(value))
			unix, err := strconv.ParseInt(when, 10, 64)
			if err != nil {
				return c, fmt.Errorf("committer's date '%.80s' is not a number", when)
			}
			c.Unix = unix
		}
	}
	if c.Tree == "" || c.Zone == "" {
		return c, errors.New("no tree or no committer")
	}
	return c, nil
}

// splitIdent cuts "Name <address> 1700000000 +0100" into its three parts.
func splitIdent(ident string) (who, unix, zone string) {
	i := strings.LastIndexByte(ident, '>') + 1
	unix, zone, _ = strings.Cut(strings.TrimPrefix(ident[i:], " "), " ")
	return ident[:i], unix, zone
}

// entry is the record that the commit is, as far as its message tells.
func (c commit) entry(id ObjectID, m message) Entry {
	return Entry{Commit: id, Parents: c.Parents, Kind: m.Kind, Subject: m.Subject,
		Meta: m.Meta, Body: m.Body, Author: c.Author, Unix: c.Unix}
}
