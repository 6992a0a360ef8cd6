package gitstate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A place is a run's ref as it was found.
type place struct {
	name string
	tip  ObjectID
	base ObjectID
	work map[string]ObjectID // workers' tips
	link string              // what it is symbolic for
}

// Run opens a run by its name, a unique prefix of it, or its id. None is
// ErrNotFound, several are ErrAmbiguous.
func (s *Store) Run(ctx context.Context, name string) (*Run, error) {
	p, err := s.locate(ctx, name)
	if err != nil {
		return nil, err
	}
	at, err := s.load(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("read run '%s': %w", p.name, err)
	}
	return &Run{store: s, at: at}, nil
}

// locate finds the run that is meant; one that is named in full by one process.
func (s *Store) locate(ctx context.Context, name string) (place, error) {
	if ValidName(name) == nil {
		if p, err := s.find(ctx, name); !errors.Is(err, ErrNotFound) {
			return p, err
		}
	}
	full, err := s.fullName(ctx, name)
	if err != nil {
		return place{}, err
	}
	return s.find(ctx, full)
}

// fullName finds the name of the run that is meant by an id or the beginning of
// a name.
func (s *Store) fullName(ctx context.Context, name string) (string, error) {
	runs, err := s.Runs(ctx)
	if err != nil {
		return "", err
	}
	var fits []string
	for _, r := range runs {
		if r.ID == name && r.ID != "" {
			return r.Name, nil
		}
		if name != "" && strings.HasPrefix(r.Name, name) {
			fits = append(fits, r.Name)
		}
	}
	switch len(fits) {
	case 0:
		return "", fmt.Errorf("run '%s': %w", name, ErrNotFound)
	case 1:
		return fits[0], nil
	}
	slices.Sort(fits)
	return "", fmt.Errorf("run '%s': %w: %s", name, ErrAmbiguous, strings.Join(fits, ", "))
}

// find reads a run's refs.
func (s *Store) find(ctx context.Context, name string) (place, error) {
	out, err := s.plain.Read(ctx, "for-each-ref", "--format=%(refname) %(objectname) %(symref)", "--",
		runRefs+name, baseRefs+name, workRefs+name+"/")
	if err != nil {
		return place{}, fmt.Errorf("read run '%s': %w", name, err)
	}
	p := place{name: name, work: map[string]ObjectID{}}
	for line := range strings.Lines(string(out)) {
		ref, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		id, link, _ := strings.Cut(rest, " ")
		switch ref {
		case runRefs + name:
			p.tip, p.link = ObjectID(id), link
		case baseRefs + name:
			p.base = ObjectID(id)
		default:
			p.work[strings.TrimPrefix(ref, workRefs+name+"/")] = ObjectID(id)
		}
	}
	if p.tip == "" {
		return p, fmt.Errorf("run '%s': %w", name, ErrNotFound)
	}
	return p, nil
}

// load reads a run whole: one commit, its folders, its documents.
func (s *Store) load(ctx context.Context, p place) (state, error) {
	if err := ValidName(p.name); err != nil {
		return state{}, err
	}
	if p.link != "" {
		return state{}, corrupt(p.tip, "the run's ref is symbolic, for '%s'", p.link)
	}
	at, err := s.loadCommit(ctx, p.tip)
	at.history.Name, at.history.Base, at.history.Work = p.name, p.base, p.work
	return at, err
}

// loadCommit reads the state of a run at one of its records.
func (s *Store) loadCommit(ctx context.Context, id ObjectID) (state, error) {
	raw, err := s.reader.one(ctx, id, "commit")
	if err != nil {
		return state{}, err
	}
	c, err := parseCommit(raw)
	if err != nil {
		return state{}, corrupt(id, "%v", err)
	}
	m, err := parseMessage(c.Message)
	if errors.Is(err, ErrFormat) {
		return state{}, fmt.Errorf("record '%s': %w", id, err)
	}
	if err != nil {
		return state{}, corrupt(id, "%v", err)
	}
	root, err := s.open(ctx, item{id: c.Tree})
	if err != nil {
		return state{}, inRecord(id, err)
	}
	at := state{unix: c.Unix, root: root, history: History{ID: m.Run, Tip: id}}
	return at, inRecord(id, s.fill(ctx, &at))
}

func inRecord(id ObjectID, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("record '%s': %w", id, err)
}

// fill reads the folders of documents and ledgers, and what is in them.
func (s *Store) fill(ctx context.Context, at *state) error {
	if err := s.openFolders(ctx, at.root); err != nil {
		return err
	}
	var names []string
	var ids []ObjectID
	for _, it := range at.root.items {
		if it.sub == nil {
			continue
		}
		for _, file := range it.sub.items {
			names = append(names, it.name+"/"+file.name)
			ids = append(ids, file.id)
		}
	}
	err := s.reader.read(ctx, ids, func(i int, a answer) error {
		if err := a.expect(ids[i], "blob"); err != nil {
			return err
		}
		return at.history.take(names[i], a.data)
	})
	slices.SortFunc(at.history.Docs, compareDocs)
	return err
}

// openFolders reads the folders below the root, all but the bench and the
// lineage, whose files nobody needs in memory.
func (s *Store) openFolders(ctx context.Context, root *folder) error {
	var ids []ObjectID
	var at []int
	for i, it := range root.items {
		if it.isFolder() && it.name != "bench" && it.name != "lineage" {
			ids = append(ids, it.id)
			at = append(at, i)
		}
	}
	return s.reader.read(ctx, ids, func(i int, a answer) error {
		if err := a.expect(ids[i], "tree"); err != nil {
			return err
		}
		f, err := parseTree(a.data, s.objectFormat().size())
		if err != nil {
			return corrupt(ids[i], "%v", err)
		}
		root.items[at[i]].sub = f
		return nil
	})
}

// take adds one file of the tree to the history.
func (h *History) take(path string, data []byte) error {
	if wake, ok := ledgerWake(path); ok {
		if err := h.account(wake, data); err != nil {
			return corrupt(path, "%v", err)
		}
		return nil
	}
	d, err := parseNamed(path, data)
	if err != nil {
		return err
	}
	h.Docs = append(h.Docs, d)
	return nil
}

// parseNamed reads a document and compares it with its name.
func parseNamed(path string, data []byte) (Doc, error) {
	folder, counter, hash, ok := parseName(path)
	if !ok {
		return Doc{}, corrupt(path, "no name of a document")
	}
	d, err := parseDoc(data)
	switch {
	case err != nil:
		return d, corrupt(path, "%v", err)
	case d.Hash != hash:
		return d, corrupt(path, "the content has the hash %s", d.Hash)
	case d.Kind.Folder() != folder:
		return d, corrupt(path, "the document is of kind '%s'", d.Kind)
	}
	d.Counter = counter
	return d, nil
}

// compareDocs orders documents as they came to be.
func compareDocs(a, b Doc) int {
	if a.Counter != b.Counter {
		return a.Counter - b.Counter
	}
	if a.Kind != b.Kind {
		return strings.Compare(string(a.Kind), string(b.Kind))
	}
	return strings.Compare(a.Hash, b.Hash)
}
