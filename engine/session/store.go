package session

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

// A Store holds the transcripts of one repository. It is safe for concurrent
// use; several processes may have the same file open.
type Store struct {
	path    string
	write   *sql.DB // one connection, so that writers of this process queue here
	read    *sql.DB
	insert  *sql.Stmt
	lock    *fileLock
	journal string
	damage  *Damage
}

// readers is how many loads may run side by side.
const readers = 4

// Damage returns what Open found broken and put aside, nil when all was well.
// Whoever opened the store must tell the user.
func (s *Store) Damage() *Damage { return s.damage }

// Journal is how commits are made safe: "wal", or "delete" where the file system
// cannot do the former.
func (s *Store) Journal() string { return s.journal }

// Append adds entries to the end of a session's transcript, all or none, and
// returns once they are on disk. Each must be a JSON object of at most
// MaxEntry bytes. An entry with a uuid that the session already holds is skipped.
func (s *Store) Append(ctx context.Context, session string, entries ...json.RawMessage) error {
	rows, err := parse(session, entries)
	if err != nil || len(rows) == 0 {
		return err
	}
	if err := s.store(ctx, session, rows); err != nil {
		return fmt.Errorf("append to session '%s': %w", session, s.noted(err))
	}
	return nil
}

func (s *Store) store(ctx context.Context, session string, rows []entry) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	insert := tx.StmtContext(ctx, s.insert)
	for _, r := range rows {
		if _, err := insert.ExecContext(ctx, session, r.ts, r.uuid, r.body); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// Load returns a session's whole transcript, oldest entry first; none for a
// session that the store does not know.
func (s *Store) Load(ctx context.Context, session string) ([]json.RawMessage, error) {
	var all []json.RawMessage
	err := s.Each(ctx, session, func(body json.RawMessage) error {
		all = append(all, append(json.RawMessage(nil), body...))
		return nil
	})
	return all, err
}

// Each calls each with every entry of a session, oldest first, until it returns
// an error. The entry is only valid during the call. What is appended meanwhile
// is not seen, and the journal cannot shrink until Each returns.
func (s *Store) Each(ctx context.Context, session string, each func(json.RawMessage) error) error {
	rows, err := s.read.QueryContext(ctx, "select body from entry where session = ? order by id", session)
	if err != nil {
		return s.loading(session, err)
	}
	defer rows.Close()
	var body sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&body); err != nil {
			return s.loading(session, err)
		}
		if err := each(json.RawMessage(body)); err != nil {
			return err
		}
	}
	return s.loading(session, rows.Err())
}

// Len counts a session's entries.
func (s *Store) Len(ctx context.Context, session string) (int, error) {
	var n int
	err := s.read.QueryRowContext(ctx, "select count(*) from entry where session = ?", session).Scan(&n)
	return n, s.loading(session, err)
}

func (s *Store) loading(session string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("load session '%s': %w", session, s.noted(err))
}

// Close waits for what is running and closes the file. The last one to close
// folds the journal into it. Safe to call twice.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if err := errors.Join(append(errs, s.lock.close())...); err != nil {
		return fmt.Errorf("close session store '%s': %w", s.path, err)
	}
	return nil
}
