package session_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"git-flower/engine/session"
)

// unprivileged runs f on a thread that, also for root, is bound by the modes of
// files.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(65534); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setfsuid(0); err != nil {
			t.Fatal(err)
		}
	}()
	f()
}

func TestAReadOnlyDirectory(t *testing.T) {
	path := filled(t)
	dir := filepath.Dir(path)
	if os.Geteuid() == 0 {
		for p := dir; p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
			if err := os.Chmod(p, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(os.Chmod(path, 0o644), os.Chmod(path+".lock", 0o666), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	for _, target := range []string{path, filepath.Join(dir, "other.db"), filepath.Join(dir, "sub", "session.db")} {
		unprivileged(t, func() {
			if _, err := session.Open(t.Context(), target); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: %v", target, err)
			}
		})
	}
}
