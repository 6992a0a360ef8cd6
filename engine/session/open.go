package session

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Open opens the store at path and makes it, and its directory, if they are not
// there. A damaged file is put aside first, see Store.Damage. A *FormatError
// means that the file is not for this program.
func Open(ctx context.Context, path string) (*Store, error) {
	s, err := open(ctx, path)
	var format *FormatError
	if err == nil || errors.As(err, &format) {
		return s, err
	}
	return nil, fmt.Errorf("open session store '%s': %w", path, explained(err))
}

func open(ctx context.Context, path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	lock, err := openLock(path + ".lock")
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, lock: lock}
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// patience is how long to wait for a process that is opening the store, which
// takes milliseconds; pause is how often to look.
const (
	patience = 2 * time.Second
	pause    = 5 * time.Millisecond
)

// errInUse means that another process has the store open.
var errInUse = errors.New("the file is damaged or gone, and another process has it open")

// begin opens what is there, or begins anew, once no other process is in the way.
func (s *Store) begin(ctx context.Context) error {
	wait, cancel := context.WithTimeoutCause(ctx, patience, errInUse)
	defer cancel()
	look := time.NewTicker(pause)
	defer look.Stop()
	for {
		done, err := s.once(ctx)
		if done || err != nil {
			return err
		}
		select {
		case <-wait.Done():
			return context.Cause(wait)
		case <-look.C:
		}
	}
}

// once opens what is there, together with others; only when that is nothing or
// damaged it asks for the file alone. It reports false when it must wait.
func (s *Store) once(ctx context.Context) (bool, error) {
	if shared, err := s.lock.share(); !shared {
		return false, err
	}
	if s.present() {
		if err := s.attach(ctx); !unusable(err) {
			return true, err
		}
	}
	if alone, err := s.lock.alone(); !alone {
		return false, err
	}
	if err := s.renew(ctx); err != nil {
		return false, err
	}
	return s.lock.share()
}

// renew is begin for whoever has the file alone. Another process may have been
// faster, so it looks again.
func (s *Store) renew(ctx context.Context) error {
	reason := errors.New("the file is gone, its journal is not")
	if s.present() {
		if reason = s.attach(ctx); !unusable(reason) {
			return reason
		}
	}
	if s.present() || !free(s.path+"-wal") {
		aside, err := setAside(s.path)
		if err != nil {
			return err
		}
		s.damage = &Damage{Path: s.path, Aside: aside, Reason: reason}
	}
	if err := create(s.path); err != nil {
		return err
	}
	return s.attach(ctx)
}

func (s *Store) present() bool {
	info, err := os.Lstat(s.path)
	return err == nil && info.Size() > 0
}

// create makes an empty file that only its owner may read, durably. SQLite gives
// its journal the same mode.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// attach opens the database itself. After an error nothing is left open.
func (s *Store) attach(ctx context.Context) error {
	if err := writable(s.path); err != nil {
		return err
	}
	db, name, err := connect(ctx, s.path)
	if err != nil {
		return err
	}
	if err := s.prepare(ctx, db, name); err != nil {
		return errors.Join(err, db.Close())
	}
	return nil
}

func (s *Store) prepare(ctx context.Context, db *sql.DB, name string) error {
	if err := migrate(ctx, db, s.path); err != nil {
		return err
	}
	if err := probe(ctx, db, s.path); err != nil {
		return err
	}
	insert, err := db.PrepareContext(ctx, insertEntry)
	if err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, "pragma journal_mode").Scan(&s.journal); err != nil {
		return err
	}
	read, err := sql.Open("sqlite", name+"&_query_only=1")
	if err != nil {
		return err
	}
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	s.write, s.read, s.insert = db, read, insert
	return nil
}

// smallest is SQLite's smallest page, in bytes. It would take some shorter files
// for empty ones and write over them.
const smallest = 512

// writable tells early, and in words, what SQLite calls "unable to open database
// file": the journal needs a directory that can be written.
func writable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	if size := info.Size(); size > 0 && size < smallest {
		return &checkError{fmt.Sprintf("%d bytes are no database", size)}
	}
	probe, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".probe-*")
	if err != nil {
		return fmt.Errorf("its directory cannot be written: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
