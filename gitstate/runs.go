package gitstate

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
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

const summaryFormat = "%(refname)%00%(objectname)%00%(symref)%00%(objecttype)%00%(raw:size)%00%(raw)"

// Runs lists the runs, newest record first, by one git process. A run that
// cannot be read does not hide the others.
func (s *Store) Runs(ctx context.Context) ([]Summary, error) {
	runs, err := s.runsAtOnce(ctx)
	if err != nil && ctx.Err() == nil {
		runs, err = s.runsOneByOne(ctx)
	}
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

// runsAtOnce reads the summaries while git prints them.
func (s *Store) runsAtOnce(ctx context.Context) ([]*Summary, error) {
	p, err := s.plain.Start(ctx, "--no-optional-locks", "for-each-ref", "--format="+summaryFormat, "--", runRefs)
	if err != nil {
		return nil, err
	}
	var runs []*Summary
	for err == nil {
		var r *Summary
		if r, err = readSummary(p.Out); err == nil {
			runs = append(runs, r)
		}
	}
	if closed := p.Close(); closed != nil || err == io.EOF {
		return runs, closed
	}
	return runs, err
}

// readSummary reads one line of summaryFormat: fields ended by NUL, and the raw
// object by its size, since it may hold anything.
func readSummary(in *bufio.Reader) (*Summary, error) {
	var fields [5]string
	for i := range fields {
		text, err := in.ReadString(0)
		if err != nil {
			return nil, err
		}
		fields[i] = text[:len(text)-1]
	}
	a := answer{id: ObjectID(fields[1]), kind: fields[3]}
	size, err := strconv.Atoi(fields[4])
	if err != nil || size < 0 {
		return nil, fmt.Errorf("unexpected size '%.80s' of '%s'", fields[4], fields[1])
	}
	if size >= in.Size() {
		if a.data, err = readObject(in, size); a.data == nil {
			a.kind = fmt.Sprintf("%s of %d bytes", a.kind, size)
		}
		return summarize(fields[0], fields[2], a), err
	}
	whole, err := in.Peek(size + 1) // summarize copies what it keeps
	if err != nil {
		return nil, err
	}
	a.data = whole[:size]
	r := summarize(fields[0], fields[2], a)
	_, err = in.Discard(size + 1)
	return r, err
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

// runsOneByOne lists the runs where for-each-ref gives up because an object is
// missing: names from it, objects from cat-file.
func (s *Store) runsOneByOne(ctx context.Context) ([]*Summary, error) {
	out, err := s.plain.Read(ctx, "for-each-ref", "--format=%(refname) %(objectname) %(symref)", "--", runRefs)
	if err != nil {
		return nil, err
	}
	var refs, links []string
	var ids []ObjectID
	for line := range strings.Lines(string(out)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(fields) < 3 {
			return nil, fmt.Errorf("unexpected line '%.200q'", line)
		}
		refs, links, ids = append(refs, fields[0]), append(links, fields[2]), append(ids, ObjectID(fields[1]))
	}
	var runs []*Summary
	err = s.reader.read(ctx, ids, func(i int, a answer) error {
		a.id = ids[i]
		runs = append(runs, summarize(refs[i], links[i], a))
		return nil
	})
	return runs, err
}
