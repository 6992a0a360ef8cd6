package worktree

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Restored tells of a tree that was filled from a snapshot.
type Restored struct {
	LeftOut []string // what the snapshot does not hold, as its message lists it
	Merging []string // commits that a merge was to bring in; it is in progress again
}

// Restore is Add for a worker whose tree is lost or elsewhere: it makes one and
// fills it with the files of a snapshot. HEAD and the worker's index are at the
// worker's commit that the snapshot was made on, the rest is uncommitted as it
// was. A merge that was in progress is so again, its conflicts as markers in the
// files. Any other commit is simply checked out.
func (p *Pool) Restore(ctx context.Context, spec Spec, snapshot string) (*Tree, Restored, error) {
	var r Restored
	t, err := p.add(ctx, spec, func(s *slot, o *owner) (err error) {
		r, err = p.restore(ctx, s, o, snapshot)
		return err
	})
	if err != nil {
		return nil, r, fmt.Errorf("cannot restore snapshot '%s' of worker '%s' of run '%s': %w", snapshot, spec.Worker, spec.Run, err)
	}
	return t, r, nil
}

// restore fills a slot from a snapshot, and notes in o where it then stands.
func (p *Pool) restore(ctx context.Context, s *slot, o *owner, snapshot string) (Restored, error) {
	snapshot, err := p.commitHere(ctx, snapshot)
	if err != nil {
		return Restored{}, err
	}
	said, err := p.readSnapshot(ctx, snapshot)
	if err != nil {
		return Restored{}, err
	}
	if err := p.reach(ctx, s, said.head, snapshot); err != nil {
		return Restored{}, err
	}
	if err := p.checkOut(ctx, s, said.head); err != nil {
		return Restored{}, err
	}
	if err := p.makeGitDir(ctx, s, said.head); err != nil { // with an index at head
		return Restored{}, err
	}
	if err := p.checkOut(ctx, s, snapshot); err != nil {
		return Restored{}, err
	}
	o.Tip, o.Saved = said.head, snapshot
	return said.Restored, mergeAgain(s, said.Merging)
}

// mergeAgain writes what git remembers of a merge that stopped on its way.
func mergeAgain(s *slot, heads []string) error {
	if len(heads) == 0 {
		return nil
	}
	for name, text := range map[string]string{
		"MERGE_HEAD": strings.Join(heads, "\n") + "\n",
		"MERGE_MSG":  fmt.Sprintf("Merge commit '%s'\n", strings.Join(heads, "', '")),
		"MERGE_MODE": "",
	} {
		if err := putFile(s, name, text); err != nil {
			return err
		}
	}
	return nil
}

// What a snapshot says of itself.
type said struct {
	Restored
	head string // the worker's commit it was made on
}

// readSnapshot reads a snapshot's message. The commits it names must be part of
// its history.
func (p *Pool) readSnapshot(ctx context.Context, snapshot string) (said, error) {
	text, err := p.objects().Read(ctx, "cat-file", "commit", snapshot)
	if err != nil {
		return said{}, err
	}
	_, message, _ := strings.Cut(string(text), "\n\n")
	r := parseSnapshot(message)
	if r.head == "" {
		return said{head: snapshot}, nil
	}
	f, err := p.facts(ctx)
	if err != nil {
		return said{}, err
	}
	for _, id := range append([]string{r.head}, r.Merging...) {
		if !f.validID(id) {
			return said{}, fmt.Errorf("it names '%s' as a commit of the worker", id)
		}
		has, err := p.contains(ctx, snapshot, id)
		if err == nil && !has {
			err = fmt.Errorf("it does not contain the worker's commit '%s'", id)
		}
		if err != nil {
			return said{}, err
		}
	}
	return r, nil
}

// parseSnapshot takes the message of a snapshot apart. One that does not end with
// the worker's commit is no snapshot.
func parseSnapshot(message string) said {
	all := strings.Split(strings.TrimSuffix(message, "\n"), "\n")
	last := len(all) - 1
	head, ok := strings.CutPrefix(all[last], tipTrailer)
	if !ok {
		return said{}
	}
	r := said{head: head}
	for ; last > 0; last-- {
		id, ok := strings.CutPrefix(all[last-1], mergeTrailer)
		if !ok {
			break
		}
		r.Merging = append(r.Merging, id)
	}
	slices.Reverse(r.Merging)
	at := slices.Index(all[:last], strings.TrimSuffix(leftOutHead, "\n"))
	if at < 0 {
		return r
	}
	for _, line := range all[at+1 : last] {
		if name, ok := strings.CutPrefix(line, "    "); ok {
			r.LeftOut = append(r.LeftOut, name)
		}
	}
	return r
}
