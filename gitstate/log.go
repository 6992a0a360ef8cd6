package gitstate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const logFormat = "%H%x00%P%x00%an <%ae>%x00%ct%x00%B%x00"

// Log calls each for every record of a run, newest first, while git prints them.
// An error of each ends it and comes back as it is. Bodies over 16 KiB are cut,
// as they are in the commits.
func (s *Store) Log(ctx context.Context, name string, each func(Entry) error) error {
	p, err := s.locate(ctx, name)
	if err != nil {
		return err
	}
	var refused error
	err = s.log(ctx, p.tip, func(e Entry) error {
		refused = each(e)
		return refused
	})
	if err == nil || err == refused {
		return err
	}
	return fmt.Errorf("read run '%s': %w", p.name, err)
}

func (s *Store) log(ctx context.Context, tip ObjectID, each func(Entry) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	git := s.plain.Env("GIT_FLUSH=0") // in blocks, not record by record
	p, err := git.Start(ctx, "--no-optional-locks", "rev-list", "--no-commit-header",
		"--encoding=UTF-8", "--format="+logFormat, string(tip))
	if err != nil {
		return err
	}
	for err == nil {
		var e Entry
		if e, err = readEntry(p.Out); err == nil {
			err = each(e)
		}
	}
	if err == io.EOF {
		return p.Close()
	}
	cancel()
	if closed := p.Close(); err == io.ErrUnexpectedEOF && closed != nil {
		return closed
	}
	return err // git's own end was our doing
}

// readEntry reads one record as logFormat prints it.
func readEntry(in *bufio.Reader) (Entry, error) {
	var fields [5]string
	for i := range fields {
		text, err := in.ReadString(0)
		if err != nil {
			if err == io.EOF && (i > 0 || text != "") {
				err = io.ErrUnexpectedEOF
			}
			return Entry{}, err
		}
		fields[i] = strings.TrimSuffix(text, "\x00")
	}
	if _, err := in.ReadByte(); err != nil { // the newline after the last field
		return Entry{}, err
	}
	id := ObjectID(fields[0])
	unix, err := strconv.ParseInt(fields[3], 10, 64)
	if err != nil {
		return Entry{}, corrupt(id, "date '%.80s' is not a number", fields[3])
	}
	m, err := scanMessage([]byte(fields[4]))
	if errors.Is(err, ErrFormat) {
		return Entry{}, fmt.Errorf("record '%s': %w", id, err)
	}
	if err != nil {
		return Entry{}, corrupt(id, "%v", err)
	}
	c := commit{Author: fields[2], Unix: unix}
	for _, parent := range strings.Fields(fields[1]) {
		c.Parents = append(c.Parents, ObjectID(parent))
	}
	return c.entry(id, m), nil
}
