package session

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrDamaged is wrapped by what Load and Append return when the file turns out
// to be damaged. Opening the store again puts the file aside.
var ErrDamaged = errors.New("session store is damaged")

// Damage says that Open could not use what it found, put it aside and began an
// empty store: the transcripts in it can no longer be resumed.
type Damage struct {
	Path   string // the store
	Aside  string // where the damaged file is now; its journal beside it, with "-wal" appended
	Reason error
}

func (d *Damage) Error() string {
	return fmt.Sprintf("session store '%s' is damaged, moved to '%s': %v", d.Path, filepath.Base(d.Aside), d.Reason)
}

func (d *Damage) Unwrap() error { return d.Reason }

func damaged(err error) bool {
	c := code(err)
	return c == codeCorrupt || c == codeNotADB
}

// noted leaves a mark for the next Open when an error means damage.
func (s *Store) noted(err error) error {
	if !damaged(err) {
		return explained(err)
	}
	marked := os.WriteFile(suspect(s.path), nil, 0o600)
	return errors.Join(fmt.Errorf("%w: %w", ErrDamaged, err), marked)
}

func suspect(path string) string { return path + ".suspect" }

// probe reads a little of everything; all of it when an earlier process met damage.
func probe(ctx context.Context, db *sql.DB, path string) error {
	var id, size int64
	err := db.QueryRowContext(ctx, "select id, length(body) from entry order by id desc limit 1").Scan(&id, &size)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := os.Lstat(suspect(path)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := check(ctx, db); err != nil {
		return err
	}
	return os.Remove(suspect(path))
}

// A checkError is what SQLite's own check found.
type checkError struct{ found string }

func (e *checkError) Error() string { return e.found }

func check(ctx context.Context, db *sql.DB) error {
	var found string
	if err := db.QueryRowContext(ctx, "pragma integrity_check(1)").Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return &checkError{found}
	}
	return nil
}

// unusable reports whether an error of open is a reason to begin anew. A file of
// ours whose tables are missing counts; trouble with the disk does not.
func unusable(err error) bool {
	var bad *checkError
	return damaged(err) || code(err) == codeError || errors.As(err, &bad)
}

// setAside renames the file and what belongs to it to the first free name. The
// journal goes first: left behind, it would be played into the next file.
func setAside(path string) (string, error) {
	aside := ""
	for n := 1; ; n++ {
		aside = fmt.Sprintf("%s.damaged-%d", path, n)
		if free(aside) && free(aside+"-wal") {
			break
		}
	}
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		err := os.Rename(path+suffix, aside+suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	if err := os.Remove(suspect(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return aside, syncDir(filepath.Dir(path))
}

func free(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
