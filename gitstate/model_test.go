package gitstate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A modelRun is what a run should hold, kept with nothing but maps.
type modelRun struct {
	bodies []string // of all documents, in order
	kinds  []Kind
	files  map[string]string
	refs   map[string]ObjectID
	names  []string // of documents that may be referred to
	tip    ObjectID
}

// TestARunIsWhatItsModelSays plays random appends, good and bad ones, through
// two handles that overtake each other.
func TestARunIsWhatItsModelSays(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{NoSync: true})
	codes := []ObjectID{head(t, s)}
	for i := range 3 {
		codes = append(codes, ObjectID(run(t, dir, "commit-tree", "-p", string(codes[i]), "-m", fmt.Sprint(i), "HEAD^{tree}")))
	}
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		r := create(t, s, fmt.Sprintf("model-%d", n))
		other, err := s.Run(t.Context(), r.Name())
		if err != nil {
			rt.Fatal(err)
		}
		m := &modelRun{files: map[string]string{}, refs: map[string]ObjectID{}, tip: r.Tip()}
		m.take(r.History())
		handles := [2]*Run{r, other}
		for range rapid.IntRange(1, 6).Draw(rt, "steps") {
			h := handles[rapid.IntRange(0, 1).Draw(rt, "handle")]
			m.step(t, rt, h, codes)
		}
		m.compare(t, rt, s, dir, r.Name())
	})
	sound(t, dir)
}

// take notes documents that are there already.
func (m *modelRun) take(h History) {
	m.bodies, m.kinds, m.names = nil, nil, nil
	for _, d := range h.Docs {
		m.bodies, m.kinds, m.names = append(m.bodies, d.Body), append(m.kinds, d.Kind), append(m.names, d.Name())
	}
}

// step appends one record through a handle that may be behind.
func (m *modelRun) step(t *testing.T, rt *rapid.T, h *Run, codes []ObjectID) {
	text := rapid.StringMatching(`[a-z ]{0,10}[a-z]`)
	kind := rapid.SampledFrom([]Kind{KindBrief, KindGoal, KindReport, KindSession}).Draw(rt, "kind")
	rec := Record{Kind: kind, Subject: text.Draw(rt, "subject"), Body: text.Draw(rt, "body"), Files: map[string][]byte{}}
	rec.Meta.Session, rec.Meta.Worker = text.Draw(rt, "session"), text.Draw(rt, "worker")
	if rapid.Bool().Draw(rt, "replaces") {
		rec.Meta.Replaces = []string{rapid.SampledFrom(m.names).Draw(rt, "replaced")}
	}
	if rapid.Bool().Draw(rt, "with") {
		rec.With = []Doc{{Kind: KindStep, Body: text.Draw(rt, "step")}}
	}
	path := rapid.SampledFrom([]string{"bench/notes/a", "bench/artifacts/b/c", "bench/scripts/d"}).Draw(rt, "path")
	content := rapid.SampledFrom([]string{"", "x\n", "y\n"}).Draw(rt, "content")
	if rec.Files[path] = []byte(content); content == "" {
		rec.Files[path] = nil
	}
	join := "refs/flower/join/" + h.Name()
	moved := rapid.SampledFrom(codes).Draw(rt, "code")
	if moved != m.refs[join] && rapid.Bool().Draw(rt, "moves") {
		rec.Refs = []RefUpdate{{Name: join, New: moved, Old: m.refs[join]}}
	}
	behind := h.Tip() != m.tip
	known := h.knows(rec.Meta.Replaces)
	_, err := h.Append(t.Context(), rec)
	if behind || !known {
		if err == nil {
			rt.Fatal("a handle that is behind has appended")
		}
		if err := h.Reload(t.Context()); err != nil {
			rt.Fatal(err)
		}
		if h.Tip() != m.tip {
			rt.Fatalf("reloaded it is at '%s', not '%s'", h.Tip(), m.tip)
		}
		_, err = h.Append(t.Context(), rec)
	}
	if err != nil {
		rt.Fatal(err)
	}
	m.tip = h.Tip()
	m.take(h.History())
	for path, data := range rec.Files {
		if m.files[path] = string(data); data == nil {
			delete(m.files, path)
		}
	}
	for _, u := range rec.Refs {
		m.refs[u.Name] = u.New
	}
}

func (r *Run) knows(names []string) bool {
	h := r.History()
	for _, name := range names {
		if _, ok := h.Find(name); !ok {
			return false
		}
	}
	return true
}

// compare reads the run with a fresh handle and with git.
func (m *modelRun) compare(t *testing.T, rt *rapid.T, s *Store, dir, name string) {
	fresh, err := s.Run(t.Context(), name)
	if err != nil {
		rt.Fatal(err)
	}
	h := fresh.History()
	var bodies []string
	for i, d := range h.Docs {
		bodies = append(bodies, d.Body)
		if i > 0 && d.Counter <= h.Docs[i-1].Counter {
			rt.Fatalf("'%s' comes after '%s'", d.Name(), h.Docs[i-1].Name())
		}
	}
	if !slices.Equal(bodies, m.bodies) || fresh.Tip() != m.tip {
		rt.Fatalf("the documents are %q, not %q", bodies, m.bodies)
	}
	files := map[string]string{}
	for path := range strings.SplitSeq(run(t, dir, "ls-tree", "-r", "--name-only", "flower/run/"+name, "--", "bench/"), "\n") {
		if path != "" {
			files[path] = run(t, dir, "show", "flower/run/"+name+":"+path) + "\n"
		}
	}
	if !maps.Equal(files, m.files) {
		rt.Fatalf("the files are %v, not %v", files, m.files)
	}
	for ref, want := range m.refs {
		if got, _, err := s.Ref(t.Context(), ref); err != nil || got != want {
			rt.Fatalf("'%s' is at '%s', not '%s': %v", ref, got, want, err)
		}
	}
	if problems, err := s.Fsck(t.Context(), name); err != nil || len(problems) > 0 {
		rt.Fatal(problems, err)
	}
}
