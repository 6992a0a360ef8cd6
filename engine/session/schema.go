package session

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// application marks the file as ours ("flwr", SQLite's application_id).
const application = 0x666c7772

// migrations lead from one user_version to the next. A released one never
// changes. Rows are large, so the table has a rowid: without one, 2 KB entries
// took twice the space.
var migrations = [...]string{
	`create table entry (
		id      integer primary key,
		session text not null,
		ts      integer,
		uuid    text,
		body    blob not null
	);
	create index entry_session on entry (session);
	create unique index entry_uuid on entry (session, uuid) where uuid is not null`,
}

const insertEntry = "insert into entry (session, ts, uuid, body) values (?, ?, ?, ?) on conflict do nothing"

// A FormatError means that the file is sound but not for this program: it was
// written by a newer git-flower or by something else. It is left alone.
type FormatError struct {
	Path    string
	Found   int  // user_version
	Known   int  // the newest that this program can read
	Foreign bool // another program's database
}

func (e *FormatError) Error() string {
	if e.Foreign {
		return fmt.Sprintf("session store '%s' is a database of another program", e.Path)
	}
	return fmt.Sprintf("session store '%s' has format %d, this git-flower knows %d: a newer one wrote it", e.Path, e.Found, e.Known)
}

// migrate brings the schema up to date in one transaction, so that two
// processes may try at once and a crash leaves the old one.
func migrate(ctx context.Context, db *sql.DB, path string) error {
	found, err := version(ctx, db, path)
	if err != nil || found == len(migrations) {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := upgrade(ctx, tx, path); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func upgrade(ctx context.Context, tx *sql.Tx, path string) error {
	found, err := version(ctx, tx, path) // again: another process may have been faster
	if err != nil {
		return err
	}
	for ; found < len(migrations); found++ {
		if _, err := tx.ExecContext(ctx, migrations[found]); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf("pragma application_id = %d; pragma user_version = %d", application, found))
	return err
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version returns the file's format, 0 for an empty one.
func version(ctx context.Context, q querier, path string) (int, error) {
	var owner, found, tables int
	err := errors.Join(
		q.QueryRowContext(ctx, "pragma application_id").Scan(&owner),
		q.QueryRowContext(ctx, "pragma user_version").Scan(&found),
		q.QueryRowContext(ctx, "select count(*) from sqlite_schema").Scan(&tables))
	if err != nil {
		return 0, err
	}
	e := &FormatError{Path: path, Found: found, Known: len(migrations), Foreign: owner != application}
	empty := owner == 0 && found == 0 && tables == 0
	if !empty && (e.Foreign || found > len(migrations)) {
		return 0, e
	}
	return found, nil
}
