package gitstate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
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
	out, err := s.plain.Read(ctx, "for-each-ref", "--format="+summaryFormat, "--", runRefs)
	var runs []Summary
	if err == nil {
		runs, err = parseSummaries(out)
	} else if ctx.Err() == nil {
		runs, err = s.runsOneByOne(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	slices.SortFunc(runs, func(a, b Summary) int {
		return cmp.Or(cmp.Compare(b.Unix, a.Unix), cmp.Compare(a.Name, b.Name))
	})
	return runs, nil
}

// parseSummaries reads what for-each-ref printed: fields ended by NUL, and the
// raw object by its size, since it may hold anything.
func parseSummaries(out []byte) ([]Summary, error) {
	var runs []Summary
	for len(out) > 0 {
		fields := bytes.SplitN(out, []byte{0}, 6)
		if len(fields) < 6 {
			return nil, fmt.Errorf("unexpected output '%.80q'", out)
		}
		size, err := strconv.Atoi(string(fields[4]))
		if err != nil || size >= len(fields[5]) {
			return nil, fmt.Errorf("unexpected output '%.80q'", out)
		}
		a := answer{id: ObjectID(fields[1]), kind: string(fields[3]), data: fields[5][:size]}
		runs = append(runs, summarize(string(fields[0]), string(fields[2]), a))
		out = fields[5][size+1:]
	}
	return runs, nil
}

// summarize reads a run's newest record.
func summarize(ref, link string, a answer) Summary {
	r := Summary{Name: strings.TrimPrefix(ref, runRefs), Tip: a.id}
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
	m, err := scanMessage(c.Message)
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
func (s *Store) runsOneByOne(ctx context.Context) ([]Summary, error) {
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
	var runs []Summary
	err = s.reader.read(ctx, ids, func(i int, a answer) error {
		a.id = ids[i]
		runs = append(runs, summarize(refs[i], links[i], a))
		return nil
	})
	return runs, err
}
