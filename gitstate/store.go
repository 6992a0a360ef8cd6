package gitstate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"git-flower/gitstate/gitcmd"
)

// Config is what a Store is told from outside.
type Config struct {
	Now       func() time.Time // time.Now when nil
	NoSync    bool             // for benchmarks: nothing is synced
	StateHome string           // XDG_STATE_HOME or ~/.local/state; <git dir>/flower/state when ""
}

// A Store is a repository with runs. It is safe for concurrent use. It holds up
// to two git processes until Close.
type Store struct {
	config Config
	git    gitcmd.Git // as the caller's environment has it
	plain  gitcmd.Git // without replacements, grafts, hooks and lazy fetching
	reader *reader
	mover  *mover

	mu       sync.Mutex // of layout and writer
	layout   Layout
	writer   objectWriter
	identity knownIdentity
	machine  struct {
		once sync.Once
		name string
	}
}

// Open finds the repository of a folder as git does (GIT_DIR, safe.directory and
// all). It writes nothing.
func Open(ctx context.Context, dir string, c Config) (*Store, error) {
	git := gitcmd.New(dir)
	l, err := discover(ctx, git)
	if err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.StateHome == "" {
		c.StateHome = filepath.Join(l.Flower, "state")
	}
	if err := l.identify(c.StateHome); err != nil {
		return nil, fmt.Errorf("read the repository's id: %w", err)
	}
	plain := git.Env("GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null", "GIT_NO_LAZY_FETCH=1").
		With("core.hooksPath=/dev/null", "advice.graftFileDeprecated=false")
	return &Store{config: c, git: git, plain: plain, layout: l, reader: &reader{git: plain}}, nil
}

// Close ends the processes of the store.
func (s *Store) Close() error {
	err := s.reader.close()
	s.mu.Lock()
	m := s.mover
	s.mu.Unlock()
	if m != nil {
		err = errors.Join(err, m.close())
	}
	return err
}

// Layout says where things lie.
func (s *Store) Layout() Layout {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.layout
}

// Git runs commands in the repository with the caller's environment.
func (s *Store) Git() gitcmd.Git { return s.git }

// Settle makes sure that the git directory can be written and gives the
// repository its id, so that State and ID of Layout are final. Create and Lock do
// it too; who needs the state folder before there is a run does it first.
func (s *Store) Settle() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.layout.settle(s.config.StateHome); err != nil {
		return fmt.Errorf("write the repository's id: %w", err)
	}
	return nil
}

// refMover starts with the identity, which git puts into the reflog.
func (s *Store) refMover(ctx context.Context) *mover {
	who := s.Identity(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mover == nil {
		config := []string{fmt.Sprintf("core.filesRefLockTimeout=%d", lockWait.Milliseconds()),
			fmt.Sprintf("core.packedRefsTimeout=%d", lockWait.Milliseconds())}
		synced := "core.fsync=reference"
		if s.config.NoSync {
			synced = "core.fsync=none"
		}
		git := s.plain.With(append(config, synced)...).Env("GIT_COMMITTER_NAME="+who.Name, "GIT_COMMITTER_EMAIL="+who.Email)
		s.mover = &mover{git: git, common: s.layout.CommonDir, noSync: s.config.NoSync}
	}
	return s.mover
}

// objectFormat is how this repository names objects.
func (s *Store) objectFormat() objectFormat { return objectFormat(s.layout.ObjectFormat) }

// Resolve returns the commit that a revision names, as git understands it. What
// names none is ErrNotFound.
func (s *Store) Resolve(ctx context.Context, rev string) (ObjectID, error) {
	id, err := s.git.Line(ctx, "rev-parse", "--verify", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("no commit '%s': %w: %w", rev, ErrNotFound, err)
	}
	return ObjectID(id), nil
}

// Show returns a file of a revision's tree.
func (s *Store) Show(ctx context.Context, rev, path string) ([]byte, error) {
	id, err := s.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	data, err := s.plain.Read(ctx, "cat-file", "blob", string(id)+":"+path)
	if err != nil {
		return nil, fmt.Errorf("no file '%s' in '%s': %w: %w", path, rev, ErrNotFound, err)
	}
	return data, nil
}

// Ref reads one ref below refs/flower/ and says whether it is there.
func (s *Store) Ref(ctx context.Context, name string) (ObjectID, bool, error) {
	if !strings.HasPrefix(name, allRefs) {
		return "", false, fmt.Errorf("'%s' is not a ref of a run", name)
	}
	values, err := refValues(ctx, s.plain, name)
	if err != nil {
		return "", false, fmt.Errorf("read ref '%s': %w", name, err)
	}
	id, ok := values[name]
	return id, ok, nil
}

// zoned returns the clock's second and zone as git writes them.
func zoned(t time.Time) (int64, string) { return t.Unix(), t.Format("-0700") }
