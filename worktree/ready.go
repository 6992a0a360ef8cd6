package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Prepare sees to it that n free trees lie ready at a commit, so that Add need
// not wait for files. It is for the time when nobody waits. What is ready is
// this pool's until Close, then free for whoever comes. Where the file system
// has no room for twice a tree more, fewer are made; the error is a *SpaceError
// when there is not even one.
func (p *Pool) Prepare(ctx context.Context, base string, n int) error {
	if err := p.prepare(ctx, base, n); err != nil {
		return fmt.Errorf("cannot prepare trees at '%s': %w", base, err)
	}
	return nil
}

func (p *Pool) prepare(ctx context.Context, base string, n int) error {
	base, err := p.commitHere(ctx, base)
	if err != nil {
		return err
	}
	tree, err := p.treeOf(ctx, base)
	if err != nil {
		return err
	}
	want, err := p.coneAt(ctx, base)
	if err != nil {
		return err
	}
	for {
		have := p.readyAt(base, want)
		if have >= n {
			return nil
		}
		err := p.prepareOne(ctx, base, tree, want)
		if full := (*SpaceError)(nil); errors.As(err, &full) && have > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// prepareOne adds one tree to those that lie ready. Who wants a tree meanwhile
// waits for this one.
func (p *Pool) prepareOne(ctx context.Context, base, tree string, want cone) error {
	leave, err := p.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	s, err := p.take(ctx, base, want)
	if err != nil {
		return err
	}
	if !s.owner.clean() {
		if err := p.room(ctx, tree, 2); err != nil {
			return errors.Join(err, s.unlock())
		}
	}
	if err := p.claim(ctx, s, owner{PID: os.Getpid(), want: want}, base, tree); err != nil {
		return errors.Join(err, p.recycle(context.WithoutCancel(ctx), s), s.unlock())
	}
	if err := s.set(func(o *owner) { *o = owner{State: stateFree, Base: base} }); err != nil {
		return errors.Join(err, s.unlock())
	}
	s.proven = true
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = append(p.ready, s)
	return nil
}

func (p *Pool) readyAt(base string, want cone) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, s := range p.ready {
		if s.owner.Base == base && s.cone == want {
			n++
		}
	}
	return n
}

// takeReady takes one of the trees that lie ready at a commit, nil when there is
// none.
func (p *Pool) takeReady(base string, want cone) *slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := 0; i < len(p.ready); {
		s := p.ready[i]
		switch {
		case !s.inPlace(): // somebody removed it
			s.unlock()
		case s.owner.Base == base && s.cone == want:
			p.ready = slices.Delete(p.ready, i, i+1)
			return s
		default:
			i++
			continue
		}
		p.ready = slices.Delete(p.ready, i, i+1)
	}
	return nil
}

// place returns a locked slot for a tree at a commit, and what ends the turn of
// whoever fills it.
func (p *Pool) place(ctx context.Context, base string, want cone) (*slot, func(), error) {
	if s := p.takeReady(base, want); s != nil {
		return s, func() {}, nil
	}
	leave, err := p.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	if s := p.takeReady(base, want); s != nil {
		leave()
		return s, func() {}, nil
	}
	s, err := p.take(ctx, base, want)
	if err != nil {
		leave()
		return nil, nil, err
	}
	return s, leave, nil
}

// enter waits for the turn to fill a tree. One at a time is as quick as several,
// since each fills its tree from several processes, and the first is ready sooner.
func (p *Pool) enter(ctx context.Context) (leave func(), err error) {
	select {
	case p.filling <- struct{}{}:
		return func() { <-p.filling }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
