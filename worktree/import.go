package worktree

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"git-flower/gitstate/gitcmd"
)

// unpackLimit is git's own (transfer.unpackLimit): fewer objects become loose
// ones, more become a pack.
const unpackLimit = 100

// bring copies a worker's commit, with all its history that known commits do
// not have, into the user's objects. Every object is named anew by its content
// and checked as by 'git fsck --strict' before it is kept, and nothing is
// returned before the whole of it is there. A commit is brought once.
func (p *Pool) bring(ctx context.Context, s *slot, tip string, known ...string) error {
	if err := p.send(ctx, s, tip, known); err != nil {
		return fmt.Errorf("cannot import the worker's commit '%s': %w", tip, err)
	}
	args := append([]string{"rev-list", "--objects", "--quiet", tip, "--not"}, known...)
	if _, err := p.objects().Read(ctx, args...); err != nil {
		return fmt.Errorf("the worker's commit '%s' is not whole: %w", tip, err)
	}
	return nil
}

func (p *Pool) send(ctx context.Context, s *slot, tip string, known []string) error {
	theirs := p.borrowing(s)
	kind, err := theirs.Line(ctx, "cat-file", "-t", tip)
	if err != nil {
		return err
	}
	if kind != "commit" {
		return fmt.Errorf("it is a %s", kind)
	}
	pack, err := theirs.Start(ctx, "pack-objects", "--revs", "--thin", "--stdout", "--delta-base-offset", "-q")
	if err != nil {
		return err
	}
	_, err = io.WriteString(pack.In, revisions(tip, known))
	err = errors.Join(err, pack.In.Close())
	if err == nil {
		err = p.receive(ctx, pack)
	}
	return errors.Join(err, pack.Close())
}

func revisions(tip string, known []string) string {
	text := tip + "\n"
	for _, id := range known {
		text += "^" + id + "\n"
	}
	return text
}

// receive takes a pack apart, or keeps it, as its header suggests.
func (p *Pool) receive(ctx context.Context, pack *gitcmd.Process) error {
	header, err := pack.Out.Peek(12)
	if err != nil {
		return nil // what went wrong is told by the one that should have written it
	}
	args := []string{"unpack-objects", "--strict", "-q"}
	if n := binary.BigEndian.Uint32(header[8:]); n >= unpackLimit {
		args = []string{"index-pack", "--stdin", "--fix-thin", "--strict"}
	} else if n == 0 {
		return nil
	}
	_, err = p.objects().WriteIn(ctx, pack.Out, args...)
	return err
}
