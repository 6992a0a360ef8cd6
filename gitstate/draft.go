package gitstate

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A draft is a record that is worked out and not yet stored.
type draft struct {
	objects []object
	entry   Entry
	next    state
}

// draft works out what a record adds to a run: documents, computed files, trees
// and the commit. It reads nothing but folders of the bench that the record
// touches.
func (s *Store) draft(ctx context.Context, at state, rec Record) (draft, error) {
	w := &drafting{store: s, batch: batch{format: s.objectFormat()}, state: at}
	w.state.history.Docs = slices.Clip(at.history.Docs)
	w.state.history.Ledger = maps.Clone(at.history.Ledger)
	first, err := w.documents(ctx, rec)
	if err != nil {
		return draft{}, err
	}
	if err := w.files(ctx, rec.Meta.Wake, rec.Files); err != nil {
		return draft{}, err
	}
	tree, err := w.trees(&w.state.root)
	if err != nil {
		return draft{}, err
	}
	return w.commit(s.Identity(ctx), tree, newMessage(w.state.history.ID, rec.Subject, first))
}

type drafting struct {
	store *Store
	batch batch
	state state
}

// documents adds the record's own document and those with it, and what is
// computed from them.
func (w *drafting) documents(ctx context.Context, rec Record) (Doc, error) {
	if rec.Kind == KindSession && rec.Meta.Machine == "" {
		rec.Meta.Machine = w.store.Machine()
	}
	h := &w.state.history
	counter := greatest(h.Docs)
	for i, d := range append([]Doc{{Kind: rec.Kind, Meta: rec.Meta, Body: rec.Body}}, rec.With...) {
		d, file, err := newDoc(d.Kind, d.Meta, d.Body, counter+1+i)
		if err != nil {
			return d, err
		}
		if err := d.refersTo(*h); err != nil {
			return d, err
		}
		h.Docs = append(h.Docs, d)
		if err := w.put(ctx, d.Name(), file); err != nil {
			return d, err
		}
	}
	added := h.Docs[len(h.Docs)-1-len(rec.With):]
	return added[0], w.computed(ctx, added)
}

func greatest(docs []Doc) int {
	if len(docs) == 0 {
		return 0
	}
	return docs[len(docs)-1].Counter
}

// refersTo says which document that is named is not there.
func (d Doc) refersTo(h History) error {
	for _, name := range slices.Concat(d.Meta.From, d.Meta.Replaces) {
		if _, ok := h.Find(name); !ok {
			return fmt.Errorf("document '%s' is named and not there", name)
		}
	}
	return nil
}

// computed renews the files that follow from the documents that were added.
func (w *drafting) computed(ctx context.Context, added []Doc) error {
	for _, d := range added {
		var path string
		var data []byte
		switch {
		case d.Kind == KindBrief || d.Kind == KindGoal:
			path, data = string(d.Kind)+".md", w.state.history.currentFile(d.Kind)
		case d.Kind == KindSession && d.Meta.Machine != "":
			path, data = lineagePath(d.Meta.Machine), w.state.history.lineage(d.Meta.Machine)
		default:
			continue
		}
		if err := w.put(ctx, path, data); err != nil {
			return err
		}
	}
	return nil
}

// currentFile is the content of brief.md or goal.md, nil when there is none.
func (h History) currentFile(k Kind) []byte {
	d, ok := h.Current(k)
	if !ok || d.Body == "" {
		return nil
	}
	return []byte(d.Body + "\n")
}

// files adds the record's further files, in the order of their paths.
func (w *drafting) files(ctx context.Context, wake string, files map[string][]byte) error {
	for _, path := range slices.Sorted(maps.Keys(files)) {
		data := files[path]
		if err := CheckFile(path, data); err != nil {
			return err
		}
		if of, ok := ledgerWake(path); ok {
			if wake != "" && wake != of {
				return fmt.Errorf("file '%s' is not for wake '%s' to write", path, wake)
			}
			if err := w.state.history.account(of, data); err != nil {
				return fmt.Errorf("file '%s': %w", path, err)
			}
		}
		if err := w.put(ctx, path, data); err != nil {
			return err
		}
	}
	return nil
}

// account takes over the ledger of one wake; nil data removes it.
func (h *History) account(wake string, data []byte) error {
	if data == nil {
		delete(h.Ledger, wake)
		return nil
	}
	rows, err := parseLedger(data)
	if err != nil {
		return err
	}
	if h.Ledger == nil {
		h.Ledger = map[string][]LedgerRow{}
	}
	h.Ledger[wake] = rows
	return nil
}

func parseLedger(data []byte) ([]LedgerRow, error) {
	var rows []LedgerRow
	err := json.Unmarshal(data, &rows)
	return rows, err
}

// put sets one file of the tree; nil data removes it.
func (w *drafting) put(ctx context.Context, path string, data []byte) error {
	root, err := w.replace(ctx, w.state.root, strings.Split(path, "/"), data)
	if err == nil {
		w.state.root = root
	}
	return err
}

func (w *drafting) replace(ctx context.Context, f *folder, path []string, data []byte) (*folder, error) {
	name := path[0]
	old, there := f.find(name)
	if len(path) == 1 {
		if data == nil {
			return f.without(name), nil
		}
		return f.with(item{name: name, mode: modeOf(data), id: w.batch.add("blob", data)}), nil
	}
	sub := &folder{}
	if there {
		if !old.isFolder() {
			return nil, fmt.Errorf("'%s' is no folder in the run's tree", name)
		}
		var err error
		if sub, err = w.store.open(ctx, old); err != nil {
			return nil, err
		}
	}
	sub, err := w.replace(ctx, sub, path[1:], data)
	if err != nil {
		return nil, err
	}
	if len(sub.items) == 0 {
		return f.without(name), nil
	}
	return f.with(item{name: name, mode: modeFolder, sub: sub}), nil
}

// modeOf makes a script executable.
func modeOf(data []byte) string {
	if strings.HasPrefix(string(data[:min(len(data), 2)]), "#!") {
		return modeScript
	}
	return modeFile
}

// open returns the content of a folder, read if it is not in memory.
func (s *Store) open(ctx context.Context, it item) (*folder, error) {
	if it.sub != nil {
		return it.sub, nil
	}
	raw, err := s.reader.one(ctx, it.id, "tree")
	if err != nil {
		return nil, err
	}
	f, err := parseTree(raw, s.objectFormat().size())
	if err != nil {
		return nil, corrupt(it.id, "%v", err)
	}
	return f, nil
}

// trees adds the trees that changed, folders before those that hold them, and
// returns the id of the outermost. Ids are filled in.
func (w *drafting) trees(root **folder) (ObjectID, error) {
	f := &folder{slices.Clone((*root).items)}
	for i, it := range f.items {
		if it.id != "" {
			continue
		}
		id, err := w.trees(&f.items[i].sub)
		if err != nil {
			return "", err
		}
		f.items[i].id = id
	}
	*root = f
	raw, err := f.print()
	if err != nil {
		return "", err
	}
	return w.batch.add("tree", raw), nil
}

// commit adds the commit. Its date is never before its parent's.
func (w *drafting) commit(who Identity, tree ObjectID, m message) (draft, error) {
	c := commit{Tree: tree, Author: who.String(), Message: m.print()}
	h := &w.state.history
	if h.Tip != "" {
		c.Parents = []ObjectID{h.Tip}
	}
	c.Unix, c.Zone = zoned(w.store.config.Now())
	c.Unix = max(c.Unix, w.state.unix)
	h.Tip = w.batch.add("commit", c.print())
	w.state.unix = c.Unix
	return draft{objects: w.batch.objects, entry: c.entry(h.Tip, m), next: w.state}, nil
}
