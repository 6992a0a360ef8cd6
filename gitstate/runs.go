package gitstate

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Summary is what a run's newest record tells about it.
type Summary struct {
	Name    string
	Tip     ObjectID
	Meta    Meta
	ID      string
	Kind    Kind
	Subject string
	Unix    int64 // of the newest record, seconds
	// Err says why the newest record cannot be read: ErrCorrupt or ErrFormat. The
	// other fields hold what could be found out.
	Err error
}

// Runs lists the runs, newest record first, by two git processes. A run that
// cannot be read does not hide the others.
func (s *Store) Runs(ctx context.Context) ([]Summary, error) {
	runs, err := s.runs(ctx)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	slices.SortFunc(runs, func(a, b *Summary) int {
		return cmp.Or(cmp.Compare(b.Unix, a.Unix), cmp.Compare(a.Name, b.Name))
	})
	sorted := make([]Summary, len(runs))
	for i, r := range runs {
		sorted[i] = *r
	}
	return sorted, nil
}

// summarize reads a run's newest record.
func summarize(ref, link string, a answer) *Summary {
	r := &Summary{Name: strings.TrimPrefix(ref, runRefs), Tip: a.id}
	if r.Err = ValidName(r.Name); r.Err != nil {
		return r
	}
	if link != "" {
		r.Err = corrupt(r.Tip, "the run's ref is symbolic, for '%s'", link)
		return r
	}
	if r.Err = a.expect(r.Tip, "commit"); r.Err != nil {
		return r
	}
	c, err := parseCommit(a.data)
	if err != nil {
		r.Err = corrupt(r.Tip, "%v", err)
		return r
	}
	r.Unix = c.Unix
	m, _, err := scanHead(c.Message)
	r.ID, r.Kind, r.Subject, r.Meta = m.Run, m.Kind, m.Subject, m.Meta
	switch {
	case errors.Is(err, ErrFormat):
		r.Err = fmt.Errorf("record '%s': %w", r.Tip, err)
	case err != nil:
		r.Err = corrupt(r.Tip, "%v", err)
	}
	return r
}

// runs gets the refs from for-each-ref and the records from a cat-file that
// answers in blocks. For-each-ref could print the records too, but it takes each
// apart, keeps all of them until it has sorted them, and gives up where one is
// missing. The other process starts first, so that both are ready at once.
func (s *Store) runs(ctx context.Context) ([]*Summary, error) {
	p, err := s.plain.Start(ctx, "--no-optional-locks", "cat-file", "--batch", "--buffer")
	if err != nil {
		return nil, err
	}
	tips, ids, err := s.tips(ctx)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		_, _ = io.WriteString(p.In, requests(ids)) // what was not asked is not answered
		_ = p.In.Close()
	}()
	runs, err := readTips(p.Out, tips, ids)
	closed := p.Close() // ends the asking too, if git is gone or spoke nonsense
	<-asked
	return runs, cmp.Or(closed, err)
}

// A tip is a run's ref as it was found.
type tip struct{ ref, link string }

// tips lists the refs of the runs without looking at what they point at.
func (s *Store) tips(ctx context.Context) (tips []tip, ids []ObjectID, err error) {
	out, err := s.plain.Read(ctx, "for-each-ref", "--format=%(refname) %(objectname) %(symref)", "--", runRefs)
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(fields) < 3 {
			return nil, nil, fmt.Errorf("unexpected line '%.200q'", line)
		}
		tips, ids = append(tips, tip{fields[0], fields[2]}), append(ids, ObjectID(fields[1]))
	}
	return tips, ids, nil
}

// readTips reads the answers of cat-file about tips, in their order.
func readTips(in *bufio.Reader, tips []tip, ids []ObjectID) ([]*Summary, error) {
	runs := make([]*Summary, 0, len(tips))
	for i, t := range tips {
		a, size, err := readHead(in)
		if err != nil {
			return nil, err
		}
		a.id = ids[i]
		keep := func(a answer) { runs = append(runs, summarize(t.ref, t.link, a)) }
		if a.kind == "missing" {
			keep(a)
		} else if err := a.lend(in, size, keep); err != nil {
			return nil, err
		}
	}
	return runs, nil
}
