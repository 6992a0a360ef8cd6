package gitstate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Problem is a broken promise of the page.
type Problem struct {
	Run    string
	Commit ObjectID // "" when it concerns the refs
	Check  string   // "P1" to "P24", the promise
	Text   string   // what is wrong, one line
}

func (p Problem) String() string {
	return fmt.Sprintf("%s %s %s: %s", p.Run, p.Commit.Short(), p.Check, p.Text)
}

// Fsck compares a run, or with name "" every run, with the promises of the page
// and returns those that are broken, oldest record first. An error means that
// the comparison itself could not be made.
func (s *Store) Fsck(ctx context.Context, name string) ([]Problem, error) {
	names := []string{name}
	if name == "" {
		runs, err := s.Runs(ctx)
		if err != nil {
			return nil, err
		}
		names = names[:0]
		for _, r := range runs {
			names = append(names, r.Name)
		}
		slices.Sort(names)
	} else if p, err := s.locate(ctx, name); err != nil {
		return nil, err
	} else {
		names[0] = p.name
	}
	var problems []Problem
	for _, n := range names {
		c := &checker{store: s, run: n, commits: map[ObjectID]*checked{}}
		if err := c.check(ctx); err != nil {
			return problems, fmt.Errorf("check run '%s': %w", n, err)
		}
		problems = append(problems, c.problems...)
	}
	return problems, nil
}

// A checker holds one run to the page.
type checker struct {
	store    *Store
	run      string
	problems []Problem
	commits  map[ObjectID]*checked
	id       string                // the run's, as its first record says
	named    map[ObjectID]ObjectID // commits that records name, and the first record that does
	// snapshots are those of workers that have not reported, by worker.
	snapshots map[string]named
}

// checked is a record on its way through the checks.
type checked struct {
	id      ObjectID
	raw     []byte
	commit  commit
	message message
	broken  bool // its message cannot be read
	waiting int  // records that still need its view as their parent's
	view    *view
}

func (c *checker) say(id ObjectID, check, format string, args ...any) {
	c.problems = append(c.problems, Problem{c.run, id, check, fmt.Sprintf(format, args...)})
}

func (c *checker) check(ctx context.Context) error {
	tip, err := c.refs(ctx)
	if err != nil || tip == "" {
		return err
	}
	if err := c.gather(ctx, tip); err != nil {
		return err
	}
	c.named, c.snapshots = map[ObjectID]ObjectID{}, map[string]named{}
	for _, r := range c.sorted(tip) {
		c.checkCommit(r)
		if err := c.checkTree(ctx, r); err != nil {
			return err
		}
	}
	for _, s := range c.snapshots {
		c.name(s.id, s.by)
	}
	return c.reachable(ctx)
}

// refs checks P1 to P3 and returns the run's tip, "" when it leads nowhere.
func (c *checker) refs(ctx context.Context) (ObjectID, error) {
	if err := ValidName(c.run); err != nil {
		c.say("", "P1", "%v", err)
	}
	p, err := c.store.find(ctx, c.run)
	if err != nil {
		return "", err
	}
	if p.link != "" {
		c.say("", "P2", "the run's ref is symbolic, for '%s'", p.link)
	}
	others, names := c.beside(p)
	err = c.store.reader.read(ctx, append([]ObjectID{p.tip}, others...), func(i int, a answer) error {
		switch {
		case a.kind == "commit":
		case i > 0:
			c.say("", "P3", "%s '%s' is no commit but %s", names[i-1], others[i-1], a.kind)
		case a.kind == "missing":
			c.say(p.tip, "P23", "the newest record is missing")
			p.tip = ""
		default:
			c.say(p.tip, "P2", "the run's ref is at a %s", a.kind)
			p.tip = ""
		}
		return nil
	})
	return p.tip, err
}

// beside lists what P3 is about, and what to call it.
func (c *checker) beside(p place) (ids []ObjectID, names []string) {
	if p.base != "" {
		ids, names = append(ids, p.base), append(names, "the base")
	}
	for _, worker := range slices.Sorted(maps.Keys(p.work)) {
		if strings.Contains(worker, "/") {
			c.say("", "P3", "'%s' is no name of a worker", worker)
		}
		ids, names = append(ids, p.work[worker]), append(names, "the work of "+worker)
	}
	return ids, names
}

// gather reads every commit of the history.
func (c *checker) gather(ctx context.Context, tip ObjectID) error {
	for wave := []ObjectID{tip}; len(wave) > 0; {
		var next []ObjectID
		err := c.store.reader.read(ctx, wave, func(i int, a answer) error {
			r := c.take(wave[i], a)
			for _, p := range r.commit.Parents {
				if c.commits[p] == nil {
					c.commits[p] = &checked{id: p}
					next = append(next, p)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		wave = next
	}
	for _, r := range c.commits {
		for _, p := range r.commit.Parents {
			c.commits[p].waiting++
		}
	}
	return nil
}

func (c *checker) take(id ObjectID, a answer) *checked {
	r := &checked{id: id, raw: slices.Clone(a.data)}
	c.commits[id] = r
	if a.kind != "commit" {
		c.say(id, "P23", "the record is %s", a.kind)
		r.broken, r.raw = true, nil
		return r
	}
	var err error
	if r.commit, err = parseCommit(r.raw); err != nil {
		c.say(id, "P7", "%v", err)
		r.broken = true
	}
	return r
}

// sorted returns the records, parents before children.
func (c *checker) sorted(tip ObjectID) []*checked {
	var out []*checked
	type visit struct {
		r    *checked
		next int
	}
	seen := map[ObjectID]bool{tip: true}
	for stack := []visit{{r: c.commits[tip]}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.next == len(top.r.commit.Parents) {
			out = append(out, top.r)
			stack = stack[:len(stack)-1]
			continue
		}
		p := top.r.commit.Parents[top.next]
		top.next++
		if !seen[p] {
			seen[p] = true
			stack = append(stack, visit{r: c.commits[p]})
		}
	}
	return out
}

// named is a commit and the record that names it.
type named struct{ id, by ObjectID }

// reachable checks P24.
func (c *checker) reachable(ctx context.Context) error {
	var ids []ObjectID
	for id := range c.named {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b ObjectID) int { return strings.Compare(string(a), string(b)) })
	var there strings.Builder
	err := c.store.reader.read(ctx, ids, func(i int, a answer) error {
		if a.kind != "commit" {
			c.say(c.named[ids[i]], "P24", "'%s', which it names, is no commit but %s", ids[i], a.kind)
			return nil
		}
		there.WriteString(string(ids[i]) + "\n")
		return nil
	})
	if err != nil || there.Len() == 0 {
		return err
	}
	out, err := c.store.plain.ReadIn(ctx, strings.NewReader(there.String()), "rev-list", "--stdin", "--not", "--all")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		id := ObjectID(strings.TrimSuffix(line, "\n"))
		if by, ok := c.named[id]; ok {
			c.say(by, "P24", "no ref keeps '%s', which it names", id)
		}
	}
	return nil
}
