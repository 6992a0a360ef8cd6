//go:build unix

package messages

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"git-flower/engine/harness"
)

// swap puts now one, now the other in place of a name, as fast as it can, until
// the returned function is called.
func swap(t *testing.T, at string, make ...func(path string) error) (stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	n := 0
	done.Go(func() {
		for ; ctx.Err() == nil; n++ {
			made := fmt.Sprintf("%s.%d", at, n)
			if err := make[n%len(make)](made); err != nil {
				t.Error(err)
				return
			}
			// A tool may make the name anew in between: then the next round tries again.
			_ = os.Rename(at, at+".old")
			_ = os.Rename(made, at)
			_ = os.RemoveAll(at + ".old")
			_ = os.RemoveAll(made)
		}
	})
	return func() int { cancel(); done.Wait(); return n }
}

// snapshot is everything below a directory: names, modes and contents.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data := []byte{}
		if info.Mode().IsRegular() {
			data, err = os.ReadFile(path)
		}
		fmt.Fprintf(&b, "%s %s %s %q\n", path, info.Mode(), info.ModTime(), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func outsideWith(t *testing.T, files ...string) string {
	t.Helper()
	outside := t.TempDir()
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(outside, name), []byte("precious"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return outside
}

// A directory on the way that becomes a link between check and use leads nowhere.
func TestASwappedDirectoryLeadsNowhere(t *testing.T) {
	k := newKit(t)
	outside := outsideWith(t, "f", "g")
	before := snapshot(t, outside)
	dir := filepath.Join(k.dir, "a", "dir")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	stop := swap(t, dir,
		func(path string) error { return os.Symlink(outside, path) },
		func(path string) error {
			return os.WriteFile(mkdir(path)+"/f", []byte("inside"), 0o644)
		})
	written, refused := 0, 0
	for i := range 1500 {
		r := k.call("Write", in{"file_path": fmt.Sprintf("a/dir/sub%d/new", i%50), "content": "x"})
		r2 := k.call("Write", in{"file_path": fmt.Sprintf("a/dir/new%d", i), "content": "x"})
		for _, r := range []harness.Result{r, r2} {
			if r.IsError {
				refused++
			} else {
				written++
			}
		}
		for _, r := range []harness.Result{
			k.call("Read", in{"file_path": "a/dir/f"}),
			k.call("Edit", in{"file_path": "a/dir/f", "old_string": "precious", "new_string": "stolen"}),
			k.call("Grep", in{"pattern": "precious", "output_mode": "content"}),
			k.call("Glob", in{"pattern": "**/g"}),
		} {
			if strings.Contains(r.Text, "precious") || strings.Contains(r.Text, "changed '") || strings.Contains(r.Text, "dir/g") {
				t.Fatalf("something of outside came in: %s", r.Text)
			}
		}
	}
	swaps := stop()
	t.Logf("%d swaps, %d written, %d refused", swaps, written, refused)
	if written == 0 || refused == 0 || swaps < 100 {
		t.Error("the race was none")
	}
	if after := snapshot(t, outside); after != before {
		t.Errorf("outside has changed:\n%s\n%s", before, after)
	}
}

func mkdir(path string) string {
	if err := os.Mkdir(path, 0o755); err != nil {
		panic(err)
	}
	return path
}

// The file itself may become a link or a pipe at any time.
func TestASwappedFileLeadsNowhere(t *testing.T) {
	k := newKit(t)
	outside := outsideWith(t, "f")
	before := snapshot(t, outside)
	file := filepath.Join(k.dir, "f")
	stop := swap(t, file,
		func(path string) error { return os.Symlink(filepath.Join(outside, "f"), path) },
		func(path string) error { return os.WriteFile(path, []byte("inside"), 0o644) },
		func(path string) error { return syscall.Mkfifo(path, 0o644) })
	read := 0
	for range 1500 {
		if r := k.call("Read", in{"file_path": "f"}); !r.IsError {
			read++
			if strings.Contains(r.Text, "precious") {
				t.Fatalf("read outside: %s", r.Text)
			}
		}
		k.call("Write", in{"file_path": "f", "content": "new"})
		k.call("Edit", in{"file_path": "f", "old_string": "inside", "new_string": "changed"})
	}
	if swaps := stop(); swaps < 100 || read == 0 {
		t.Errorf("the race was none: %d swaps, %d read", swaps, read)
	}
	if after := snapshot(t, outside); after != before {
		t.Errorf("outside has changed:\n%s\n%s", before, after)
	}
}

// Other names of a file keep what they had.
func TestAHardLinkIsReplacedNotWritten(t *testing.T) {
	k := newKit(t)
	outside := outsideWith(t, "f")
	if err := os.Link(filepath.Join(outside, "f"), filepath.Join(k.dir, "f")); err != nil {
		t.Skip(err)
	}
	k.good("Read", in{"file_path": "f"})
	k.good("Write", in{"file_path": "f", "content": "new"})
	if got := k.content(filepath.Join(outside, "f")); got != "precious" {
		t.Errorf("outside is %q", got)
	}
}

// What is no regular file neither hangs a tool nor is written to.
func TestPipesAndDevicesAreNoFiles(t *testing.T) {
	k := newKit(t)
	k.tools.files.readable = []string{"/dev"}
	pipe := filepath.Join(k.dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	k.link("/dev/full", "full")
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.bad("Read", in{"file_path": "pipe"}, "regular")
		k.bad("Write", in{"file_path": "pipe", "content": "x"}, "regular")
		k.bad("Edit", in{"file_path": "pipe", "old_string": "a", "new_string": "b"}, "regular")
		k.good("Grep", in{"pattern": "x"})
		k.good("Grep", in{"pattern": "x", "path": "pipe"})
		k.bad("Read", in{"file_path": "/dev/zero"}, "regular")
		k.bad("Read", in{"file_path": "/dev/stdin"}, "")
		k.bad("Write", in{"file_path": "full", "content": "x"}, "leads out")
		k.bad("Write", in{"file_path": "/dev/full", "content": "x"}, "outside")
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("a tool hangs")
	}
}

// What the file tools are held to are the roots, whatever the guards say.
func TestFileToolsStayBelowTheirRoots(t *testing.T) {
	k := newKit(t)
	outside := outsideWith(t, "f")
	for _, path := range []string{
		outside + "/f", "../" + filepath.Base(outside) + "/f", "/proc/self/cwd/go.mod", "/proc/self/root/etc/passwd", "/etc/passwd",
		k.dir + "/../../etc/passwd", "//etc/passwd", k.dir + "//..//..//f",
	} {
		for tool, input := range map[string]in{
			"Read": {"file_path": path}, "Write": {"file_path": path, "content": "x"},
			"Edit": {"file_path": path, "old_string": "precious", "new_string": "x"},
			"Grep": {"pattern": ".", "path": path}, "Glob": {"pattern": "*", "path": path},
		} {
			if r := k.call(tool, input); !r.IsError {
				t.Errorf("%s %s: %s", tool, path, r.Text)
			}
		}
	}
	k.tools.files.roots, k.tools.files.readable = nil, []string{k.dir}
	k.file("f", "a\n")
	k.good("Read", in{"file_path": "f"})
	k.bad("Write", in{"file_path": "f", "content": "x"}, "nothing is written")
}

// A search through a folder leaves out what is withheld and says so.
func TestGrepLeavesOutWhatIsWithheld(t *testing.T) {
	k := newKit(t)
	k.tools.files.closed = func(path string) bool { return filepath.Base(path) == ".env" }
	k.file(".env", "TOKEN=1\n")
	k.file("a", "TOKEN=2\n")
	for _, mode := range []string{"content", "count", "files_with_matches"} {
		got := k.good("Grep", in{"pattern": "TOKEN", "output_mode": mode})
		if strings.Contains(got, ".env") || strings.Contains(got, "=1") || !strings.Contains(got, "1 files that may hold secrets") {
			t.Errorf("%s: %s", mode, got)
		}
	}
}
