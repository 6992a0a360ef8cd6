package session_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-flower/engine/session"
)

// filled makes a closed store with a few pages of entries.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.db")
	s, err := session.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		add(t, s, "old", fmt.Sprintf(`{"n":%d,"x":"%s"}`, i, strings.Repeat("x", 3000)))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheFileIsAsMeasured(t *testing.T) {
	path := filled(t)
	if _, err := os.Stat(path + "-wal"); err == nil {
		t.Error("the journal was left behind by the last one to close")
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for pragma, want := range map[string]string{"page_size": "8192", "journal_mode": "wal", "user_version": "1"} {
		var got string
		if err := db.QueryRow("pragma " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %s, %v, want %s", pragma, got, err, want)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

func TestADamagedFileIsPutAside(t *testing.T) {
	for name, spoil := range map[string]func([]byte) []byte{
		"garbage":   func([]byte) []byte { return bytes.Repeat([]byte("not a database\n"), 1000) },
		"short":     func([]byte) []byte { return []byte("x") },
		"truncated": func(b []byte) []byte { return b[:len(b)/2] },
		"header":    func(b []byte) []byte { return append(make([]byte, 100), b[100:]...) },
		"schema":    func(b []byte) []byte { return append(append(b[:100:100], make([]byte, 8092)...), b[8192:]...) },
		"root page": func(b []byte) []byte {
			return slices.Concat(b[:8192], bytes.Repeat([]byte{0xff}, 8192), b[2*8192:])
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			bad := spoil(whole)
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			s := open(t, path)
			d := s.Damage()
			if d == nil {
				t.Fatal("nothing was said")
			}
			if d.Aside != path+".damaged-1" || d.Reason == nil || !strings.Contains(d.Error(), "session.db.damaged-1") {
				t.Errorf("said %v", d)
			}
			if kept, err := os.ReadFile(d.Aside); err != nil || !bytes.Equal(kept, bad) {
				t.Errorf("the damaged file is not what it was: %v", err)
			}
			expect(t, s, "old")
			add(t, s, "new", `{}`)
			if open(t, path).Damage() != nil {
				t.Error("the new file is damaged too")
			}
		})
	}
}

func TestDamagedFilesDoNotReplaceEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	for n := 1; n <= 3; n++ {
		if err := os.WriteFile(path, fmt.Appendf(nil, "garbage %d", n), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := session.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%s.damaged-%d", path, n); s.Damage() == nil || s.Damage().Aside != want {
			t.Errorf("said %v, want %s", s.Damage(), want)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(path + ".damaged-1"); string(kept) != "garbage 1" {
		t.Errorf("%q, %v", kept, err)
	}
}

// Damage in the middle of the file is met by the load that needs the page, and
// the next Open acts on it.
func TestDamageThatShowsLater(t *testing.T) {
	path := filled(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	middle := len(whole) / 2 / 8192 * 8192
	copy(whole[middle:], bytes.Repeat([]byte{0xff}, 8192))
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	if s.Damage() != nil {
		t.Skip("seen at once") // as good
	}
	if _, err := s.Load(t.Context(), "old"); !errors.Is(err, session.ErrDamaged) {
		t.Fatalf("load returned %v", err)
	}
	if _, err := session.Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "another process has it open") {
		t.Errorf("a file in use was put aside: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, path)
	if again.Damage() == nil {
		t.Fatal("the next open did not look")
	}
	add(t, again, "new", `{}`)
}

// A false alarm is checked once and forgotten.
func TestASuspectThatIsSound(t *testing.T) {
	path := filled(t)
	if err := os.WriteFile(path+".suspect", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	if n, err := s.Len(t.Context(), "old"); s.Damage() != nil || n != 40 || err != nil {
		t.Errorf("damage %v, %d entries, %v", s.Damage(), n, err)
	}
	if _, err := os.Stat(path + ".suspect"); err == nil {
		t.Error("the mark is still there")
	}
}

// When a user deletes the file, its journal must not be played into the next one.
func TestAJournalWithoutItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.db")
	cmd, lines := start(t, path, "old", "0")
	for lines.Scan() && lines.Text() != "20" {
		continue
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for _, empty := range []bool{false, true} {
		log, err := os.ReadFile(path + "-wal")
		if err != nil {
			log, err = os.ReadFile(path + ".damaged-1-wal")
		}
		if err != nil || len(log) == 0 {
			t.Fatalf("no journal to try with: %v", err)
		}
		if err := errors.Join(os.Remove(path), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
			t.Fatal(err)
		}
		if empty {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := session.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if s.Damage() == nil {
			t.Error("nothing was said")
		} else if kept, err := os.ReadFile(s.Damage().Aside + "-wal"); err != nil || !bytes.Equal(kept, log) {
			t.Errorf("the journal was not kept: %v", err)
		}
		expect(t, s, "old")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFilesThatAreNotForUs(t *testing.T) {
	for name, c := range map[string]struct {
		statement string
		foreign   bool
	}{
		"newer":    {"pragma user_version = 99", false},
		"stranger": {"pragma application_id = 1", true},
		"unmarked": {"pragma application_id = 0", true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = db.Exec("pragma journal_mode = delete; " + c.statement)
			if err := errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = session.Open(t.Context(), path)
			var format *session.FormatError
			if !errors.As(err, &format) || format.Foreign != c.foreign || format.Path != path {
				t.Errorf("got %v", err)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

func TestPlacesWhereNoStoreCanBe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "folder", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(file, "session.db"), filepath.Join(dir, "folder")} {
		_, err := session.Open(t.Context(), path)
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "folder", "full")); err != nil || !info.IsDir() {
		t.Error("a folder in the way was moved")
	}
}

// Shared memory cannot be had where something else has its name.
func TestWithoutAWriteAheadLog(t *testing.T) {
	for name, path := range map[string]string{"new": filepath.Join(t.TempDir(), "session.db"), "made elsewhere": filled(t)} {
		t.Run(name, func(t *testing.T) {
			if err := os.Symlink("nowhere", path+"-shm"); err != nil {
				t.Fatal(err)
			}
			s := open(t, path)
			add(t, s, "a", `{"n":1}`)
			other := open(t, path)
			add(t, other, "a", `{"n":2}`)
			add(t, s, "a", `{"n":3}`)
			expect(t, other, "a", `{"n":1}`, `{"n":2}`, `{"n":3}`)
			if s.Journal() != "delete" || other.Journal() != "delete" || s.Damage() != nil {
				t.Errorf("journals %q and %q, damage %v", s.Journal(), other.Journal(), s.Damage())
			}
		})
	}
}

func TestCloseTwice(t *testing.T) {
	s, err := session.Open(t.Context(), filepath.Join(t.TempDir(), "session.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
}
