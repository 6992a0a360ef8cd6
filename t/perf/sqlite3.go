package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"git-flower/engine/session"
)

// A shell is the sqlite3 program, which stays open and answers every line of SQL
// that it is given.
type shell struct {
	path    string // of the database
	version string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// openShell starts the program on a database that our store made, so that tables,
// indexes and page size are the same.
func openShell(ctx context.Context, program, path string) (*shell, error) {
	store, err := session.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	s := &shell{path: path, cmd: exec.CommandContext(ctx, program, "-batch", "-bail", "-noheader", "-list", path)}
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if err := s.settle(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// settle gives the connection the settings of ours and checks them.
func (s *shell) settle() error {
	version, err := s.ask("pragma synchronous = full; select 'sqlite3 ' || sqlite_version();")
	if err != nil {
		return err
	}
	s.version = version
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "page_size": "8192"} {
		got, err := s.ask("pragma " + pragma + ";")
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("sqlite3 has %s '%s', not '%s'", pragma, got, want)
		}
	}
	return nil
}

// ask gives the program a line and returns the one it answers with.
func (s *shell) ask(sql string) (string, error) {
	if _, err := io.WriteString(s.in, sql+"\n"); err != nil {
		return "", fmt.Errorf("write to sqlite3: %w", err)
	}
	line, err := s.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("read what sqlite3 answers: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// append stores an entry in a transaction of its own, and returns once that is
// committed.
func (s *shell) append(uuid string, body []byte) error {
	got, err := s.ask(fmt.Sprintf("begin immediate; insert into entry (session, uuid, body) values ('%s', '%s', cast('%s' as blob)) on conflict do nothing; commit; select changes();",
		sessionName, uuid, strings.ReplaceAll(string(body), "'", "''")))
	if err == nil && got != "1" {
		err = fmt.Errorf("sqlite3 stored '%s' entries, not 1", got)
	}
	return err
}

func (s *shell) close() error { return errors.Join(s.in.Close(), s.cmd.Wait()) }
