package worktree

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"git-flower/gitstate/gitcmd"
)

// unpackLimit is git's own (transfer.unpackLimit): fewer objects become loose
// ones, more become a pack.
const unpackLimit = 100

// bring copies a commit that git finds from theirs, with all its history that
// known commits do not have, into the user's objects. It is the one way in. On
// the way lies a quarantine of the slot's, where every object is named anew by
// its content and checked as by 'git fsck --strict', and the whole is checked
// for gaps; what does not pass leaves nothing with the user. (Git's commands for
// this have stored all by the time they complain.)
func (p *Pool) bring(ctx context.Context, s *slot, theirs gitcmd.Git, tip string, known ...string) (err error) {
	if err := errors.Join(p.discard(s.incoming()), os.MkdirAll(s.incoming(), 0o700)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.discard(s.incoming())) }()
	n, err := p.send(ctx, s, theirs, tip, known)
	if err != nil {
		return fmt.Errorf("cannot import commit '%s': %w", tip, err)
	}
	args := append([]string{"rev-list", "--objects", "--quiet", tip, "--not"}, known...)
	if _, err := p.writingTo(s.incoming(), p.objects()).Read(ctx, args...); err != nil {
		return fmt.Errorf("cannot import commit '%s': it is not whole: %w", tip, err)
	}
	if n == 0 {
		return nil
	}
	if err := p.admit(ctx, s, n); err != nil {
		return fmt.Errorf("cannot import commit '%s': %w", tip, err)
	}
	return nil
}

// send fills the quarantine and returns how many objects came.
func (p *Pool) send(ctx context.Context, s *slot, theirs gitcmd.Git, tip string, known []string) (int, error) {
	kind, err := theirs.Line(ctx, "cat-file", "-t", tip)
	if err != nil {
		return 0, err
	}
	if kind != "commit" {
		return 0, fmt.Errorf("it is a %s", kind)
	}
	pack, err := theirs.Start(ctx, "pack-objects", "--revs", "--thin", "--stdout", "--delta-base-offset", "-q")
	if err != nil {
		return 0, err
	}
	_, err = io.WriteString(pack.In, revisions(tip, known))
	err = errors.Join(err, pack.In.Close())
	n := 0
	if err == nil {
		n, err = p.receive(ctx, s, pack)
	}
	return n, errors.Join(err, pack.Close())
}

func revisions(tip string, known []string) string {
	text := tip + "\n"
	for _, id := range known {
		text += "^" + id + "\n"
	}
	return text
}

// receive puts a pack into the quarantine. The number of its objects stands in
// its header.
func (p *Pool) receive(ctx context.Context, s *slot, pack *gitcmd.Process) (int, error) {
	header, err := pack.Out.Peek(12)
	if err != nil {
		return 0, nil // what went wrong is told by the one that should have written it
	}
	n := int(binary.BigEndian.Uint32(header[8:]))
	if n == 0 {
		return 0, nil
	}
	g := p.writingTo(s.incoming(), p.objects())
	_, err = g.WriteIn(ctx, pack.Out, "index-pack", "--stdin", "--fix-thin", "--strict")
	return n, err
}

// admit copies what is in the quarantine into the user's objects.
func (p *Pool) admit(ctx context.Context, s *slot, n int) error {
	packs, err := os.ReadDir(filepath.Join(s.incoming(), "pack"))
	if err != nil {
		return err
	}
	args := []string{"unpack-objects", "-q"}
	if n >= unpackLimit {
		args = []string{"index-pack", "--stdin"}
	}
	if s.holding {
		args = []string{"index-pack", "--stdin", "--keep=" + s.keepText()}
	}
	for _, entry := range packs {
		if filepath.Ext(entry.Name()) != ".pack" {
			continue
		}
		f, err := os.Open(filepath.Join(s.incoming(), "pack", entry.Name()))
		if err != nil {
			return err
		}
		_, err = p.objects().WriteIn(ctx, f, args...)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
