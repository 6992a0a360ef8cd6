package gitstate

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// A view is a record's tree as far as the checks of its children need it.
type view struct {
	root    *folder
	history History // documents that could be read
}

// maxDepth is how deep a tree is followed. Records have two levels and the
// bench a few.
const maxDepth = 32

// A file is one file of a record's tree that no parent has like that.
type file struct {
	path string
	item item
	data []byte
}

// checkTree checks P11 to P22: the tree, against those of the parents.
func (c *checker) checkTree(ctx context.Context, r *checked) error {
	var parents []*view
	for _, p := range r.commit.Parents {
		parent := c.commits[p]
		if parent.view != nil {
			parents = append(parents, parent.view)
		}
		if parent.waiting--; parent.waiting == 0 {
			parent.view = nil // nobody else compares with it
		}
	}
	if r.commit.Tree == "" || len(parents) < len(r.commit.Parents) {
		return nil // said where the parent was checked
	}
	root, err := c.open(ctx, r, item{mode: modeFolder, id: r.commit.Tree}, under(parents), 0)
	if err != nil || root == nil {
		return err
	}
	r.view = &view{root: root, history: union(parents)}
	files, err := c.readNew(ctx, r, parents)
	if err != nil {
		return err
	}
	docs := c.checkFiles(r, files, parents)
	c.checkDocuments(r, docs)
	r.view.history.Docs = append(slices.Clip(r.view.history.Docs), docs...)
	slices.SortFunc(r.view.history.Docs, compareDocs)
	c.checkComputed(r, files, docs, len(parents) > 1)
	return nil
}

func under(parents []*view) []*folder {
	var roots []*folder
	for _, p := range parents {
		roots = append(roots, p.root)
	}
	return roots
}

// union is what the parents hold together.
func union(parents []*view) History {
	if len(parents) == 1 {
		return History{Docs: parents[0].history.Docs}
	}
	docs := map[string]Doc{}
	for _, p := range parents {
		for _, d := range p.history.Docs {
			docs[d.Name()] = d
		}
	}
	return History{Docs: slices.SortedFunc(maps.Values(docs), compareDocs)}
}

// open reads a folder and those below it, and takes what did not change from
// the parents. It returns nil when something is missing, and says so (P23).
func (c *checker) open(ctx context.Context, r *checked, it item, parents []*folder, depth int) (*folder, error) {
	var raw []byte
	err := c.store.reader.read(ctx, []ObjectID{it.id}, func(_ int, a answer) error {
		raw = a.data
		if a.kind != "tree" {
			c.say(r.id, "P23", "the folder '%s' (%s) is %s", it.name, it.id, a.kind)
			raw = nil
		}
		return nil
	})
	if err != nil || raw == nil {
		return nil, err
	}
	f, err := parseTree(raw, c.store.objectFormat().size())
	if err != nil || depth > maxDepth {
		c.say(r.id, "P11", "the folder '%s' (%s) cannot be read: %v", it.name, it.id, err)
		return nil, nil
	}
	for i := range f.items {
		entry := &f.items[i]
		if !entry.isFolder() {
			continue
		}
		var below []*folder
		for _, p := range parents {
			old, ok := p.find(entry.name)
			if ok && old.id == entry.id && old.sub != nil {
				entry.sub = old.sub
			}
			if ok && old.sub != nil {
				below = append(below, old.sub)
			}
		}
		if entry.sub == nil {
			if entry.sub, err = c.open(ctx, r, *entry, below, depth+1); err != nil || entry.sub == nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// readNew reads the files that no parent has with the same name and content.
func (c *checker) readNew(ctx context.Context, r *checked, parents []*view) ([]file, error) {
	var files []file
	added(r.view.root, under(parents), "", func(path string, it item) { files = append(files, file{path: path, item: it}) })
	ids := make([]ObjectID, len(files))
	for i, f := range files {
		ids[i] = f.item.id
	}
	err := c.store.reader.read(ctx, ids, func(i int, a answer) error {
		files[i].data = a.data
		if a.kind != "blob" {
			files[i].item.mode = ""
			c.say(r.id, "P23", "the file '%s' (%s) is %s", files[i].path, ids[i], a.kind)
		}
		return nil
	})
	return slices.DeleteFunc(files, func(f file) bool { return f.item.mode == "" }), err
}

// added calls f for every file that is in now and, like that, in none of old.
func added(now *folder, old []*folder, prefix string, f func(string, item)) {
	for _, it := range now.items {
		var below []*folder
		same := false
		for _, o := range old {
			other, ok := o.find(it.name)
			same = same || ok && other.id == it.id && other.mode == it.mode
			if ok && other.sub != nil {
				below = append(below, other.sub)
			}
		}
		switch {
		case same:
		case it.sub != nil:
			added(it.sub, below, prefix+it.name+"/", f)
		default:
			f(prefix+it.name, it)
		}
	}
}

// checkFiles checks each new file by itself (P11 to P14, P21, P22) and that no
// document changed or went (P15). It returns the new documents.
func (c *checker) checkFiles(r *checked, files []file, parents []*view) []Doc {
	for _, p := range parents {
		added(p.root, []*folder{r.view.root}, "", func(path string, _ item) {
			if _, _, _, ok := parseName(path); ok {
				c.say(r.id, "P15", "the document '%s' of its parent changed or went", path)
			}
		})
	}
	var docs []Doc
	for _, f := range files {
		if !c.checkFile(r, f) {
			continue
		}
		if d, ok := c.checkDocument(r, f); ok {
			docs = append(docs, d)
		}
	}
	slices.SortFunc(docs, compareDocs)
	return docs
}

// checkFile checks path, mode and size, and says whether it may be a document.
func (c *checker) checkFile(r *checked, f file) bool {
	wake, ledger := ledgerWake(f.path)
	_, _, _, doc := parseName(f.path)
	switch {
	case !safePath(f.path):
		c.say(r.id, "P22", "'%.200q' is not a path for every system", f.path)
		return false
	case len(f.data) > MaxFile:
		c.say(r.id, "P22", "'%s' has %d bytes", f.path, len(f.data))
	case f.item.mode != modeOf(f.data):
		c.say(r.id, "P22", "'%s' has the mode %s", f.path, f.item.mode)
	}
	if ledger {
		c.checkLedger(r, f, wake)
	}
	lineage := isUnder(f.path, "lineage/") && strings.HasSuffix(f.path, ".json")
	if !doc && !ledger && !lineage && !onBench(f.path) && f.path != "brief.md" && f.path != "goal.md" {
		c.say(r.id, "P11", "'%s' has no place in a run's tree", f.path)
	}
	return doc
}

func (c *checker) checkLedger(r *checked, f file, wake string) {
	if _, err := parseLedger(f.data); err != nil {
		c.say(r.id, "P21", "'%s' is no list of accounts: %v", f.path, err)
	}
	by := r.message.Meta.Wake
	if len(r.commit.Parents) < 2 && by != "" && by != wake {
		c.say(r.id, "P21", "'%s' was written by wake '%s'", f.path, by)
	}
}

// checkDocument checks P12 to P14.
func (c *checker) checkDocument(r *checked, f file) (Doc, bool) {
	folder, counter, hash, _ := parseName(f.path)
	d, err := parseDoc(f.data)
	if hashOf(f.data) != hash {
		c.say(r.id, "P12", "'%s' has the hash %s", f.path, hashOf(f.data))
	}
	if err != nil {
		c.say(r.id, "P13", "'%s': %v", f.path, err)
		r.broken = true
		return d, false
	}
	if d.Kind.Folder() != folder {
		c.say(r.id, "P14", "'%s' is of kind '%s'", f.path, d.Kind)
	}
	d.Counter, d.Hash = counter, hash
	return d, true
}

// checkDocuments checks P16 to P18: the new documents together.
func (c *checker) checkDocuments(r *checked, docs []Doc) {
	before := r.view.history
	repeated := false
	all := History{Docs: slices.Concat(before.Docs, docs)}
	for _, d := range docs {
		if d.Counter <= greatest(before.Docs) {
			c.say(r.id, "P16", "'%s' is not numbered after '%04d'", d.Name(), greatest(before.Docs))
		}
		if err := d.refersTo(all); err != nil {
			c.say(r.id, "P18", "'%s': %v", d.Name(), err)
		}
		repeated = repeated || r.message.repeats(d)
	}
	if !repeated && !r.broken && len(r.commit.Parents) < 2 {
		c.say(r.id, "P17", "no document that it adds is the one in its message")
	}
}

// checkComputed checks P19 and P20 where something changed: what held for a
// single parent holds still. Of several parents everything is looked at.
func (c *checker) checkComputed(r *checked, files []file, docs []Doc, all bool) {
	paths := map[string]bool{}
	for _, f := range files {
		paths[f.path] = true
	}
	if all {
		docs = r.view.history.Docs
	}
	for _, d := range docs {
		switch {
		case d.Kind == KindBrief || d.Kind == KindGoal:
			paths[string(d.Kind)+".md"] = true
		case d.Kind == KindSession && d.Meta.Machine != "":
			paths[lineagePath(d.Meta.Machine)] = true
		}
	}
	for _, k := range []Kind{KindBrief, KindGoal} {
		path := string(k) + ".md"
		if paths[path] && !c.holds(r, path, r.view.history.currentFile(k)) {
			c.say(r.id, "P19", "%s is not the %s that counts", path, k)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		machine := strings.TrimSuffix(strings.TrimPrefix(path, "lineage/"), ".json")
		if isUnder(path, "lineage/") && !c.holds(r, path, r.view.history.lineage(machine)) {
			c.say(r.id, "P20", "'%s' does not follow from the session documents", path)
		}
	}
}

// holds says whether the tree has a file of exactly that content, or none when
// it is nil.
func (c *checker) holds(r *checked, path string, want []byte) bool {
	f := r.view.root
	parts := strings.Split(path, "/")
	for _, part := range parts[:len(parts)-1] {
		it, ok := f.find(part)
		if !ok || it.sub == nil {
			return want == nil
		}
		f = it.sub
	}
	it, ok := f.find(parts[len(parts)-1])
	if want == nil {
		return !ok
	}
	return ok && it.id == c.store.objectFormat().name("blob", want)
}
