package session

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// uri escapes the path: an unescaped '?', '#' or '%20' opens another file without
// a word.
func uri(path string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	return "file://" + (&url.URL{Path: slashed}).EscapedPath()
}

// dsn names the file with the settings that were measured to be right. The
// driver sets busy_timeout first, then the _pragma list sorted by name, then the
// other keys, so that the page size counts before the journal is chosen.
func dsn(path, journal, synchronous string) string {
	return uri(path) +
		"?_pragma=page_size(8192)" +
		"&_pragma=journal_size_limit(16777216)" + // 16 MiB: a long load lets it grow, it shrinks again
		"&_journal_mode=" + journal +
		"&_synchronous=" + synchronous +
		"&_busy_timeout=10000" + // ms; eight writers wait 0.4 s at most, a checkpoint takes 30 ms
		"&_txlock=immediate" // a deferred one that turns writer fails at once, whatever the timeout
}

// look refuses a file that is not for this program before a setting of ours
// could change it, and returns its journal mode.
func look(ctx context.Context, path string) (string, error) {
	db, err := sql.Open("sqlite", uri(path)+"?mode=ro&_busy_timeout=10000")
	if err != nil {
		return "", err
	}
	var mode string
	_, err = version(ctx, db, path)
	if err == nil {
		err = db.QueryRowContext(ctx, "pragma journal_mode").Scan(&mode)
	}
	return mode, errors.Join(err, db.Close())
}

// connect opens the file with a write-ahead log or, where that cannot be had,
// with a rollback journal, and returns the settings for more connections. EXTRA
// also syncs the directory after a rollback journal is gone: without it a power
// cut brings the journal back and takes the commit away.
func connect(ctx context.Context, path string) (*sql.DB, string, error) {
	log, rollback := dsn(path, "WAL", "FULL"), dsn(path, "DELETE", "EXTRA")
	mode, err := look(ctx, path)
	if err == nil && (mode == "wal" || empty(path)) {
		var db *sql.DB
		if db, err = try(ctx, log, "wal"); err == nil {
			return db, log, nil
		}
	}
	if needsNoLog(err) {
		if unlog(ctx, path) != nil {
			return nil, "", err // the first failure says more
		}
		_, err = look(ctx, path)
	}
	if err != nil {
		return nil, "", err
	}
	db, err := try(ctx, rollback, "delete")
	return db, rollback, err
}

// empty reports whether the file is new: one with tables keeps the journal that
// it was made with, since others may have it open.
func empty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == 0
}

// unlog turns the write-ahead log off, which needs no shared memory as long as
// nobody else has the file.
func unlog(ctx context.Context, path string) error {
	db, err := try(ctx, uri(path)+"?_pragma=page_size(8192)&_pragma=locking_mode(EXCLUSIVE)&_journal_mode=DELETE&_busy_timeout=10000", "delete")
	if err != nil {
		return err
	}
	return db.Close()
}

func try(ctx context.Context, name, want string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	if err := journals(ctx, db, want); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// journals makes sure that the journal is the one that was asked for and, since
// SQLite grants a log before it tries to make one, that it works.
func journals(ctx context.Context, db *sql.DB, want string) error {
	var mode string
	var tables int
	if err := db.QueryRowContext(ctx, "pragma journal_mode").Scan(&mode); err != nil {
		return err
	}
	if mode != want {
		return errNoLog
	}
	return db.QueryRowContext(ctx, "select count(*) from sqlite_schema").Scan(&tables)
}

// errNoLog means that SQLite would not have the journal we asked for.
var errNoLog = errors.New("the file system cannot hold the database's journal")

// SQLite's primary result codes, https://sqlite.org/rescode.html.
const (
	codeError    = 1
	codeReadOnly = 8
	codeIO       = 10
	codeCorrupt  = 11
	codeCantOpen = 14
	codeProtocol = 15
	codeNotADB   = 26
)

// code is the primary result code of an error of SQLite's, 0 for any other.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// codeSharedMemory is SQLITE_IOERR_SHMSIZE: a byte at the end of the log's shared
// memory could not be written, which on a full disk is the first thing to fail.
const codeSharedMemory = codeIO | 19<<8

// explained says of a full disk that it is full, where SQLite does not.
func explained(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) && e.Code() == codeSharedMemory {
		return fmt.Errorf("database or disk is full, its log's shared memory cannot grow: %w", err)
	}
	return err
}

// needsNoLog reports whether an error may go away when no log is asked for.
func needsNoLog(err error) bool {
	switch code(err) {
	case codeReadOnly, codeIO, codeCantOpen, codeProtocol:
		return true
	}
	return errors.Is(err, errNoLog)
}
