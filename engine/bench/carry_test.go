package bench

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// loadOf is what a record takes along, by path; "-" stands for a removal.
func loadOf(b *Bench) map[string]string {
	l := b.Load()
	b.Recorded(l)
	out := map[string]string{}
	for name, data := range l.files {
		out[name] = string(data)
		if data == nil {
			out[name] = "-"
		}
	}
	return out
}

func wantLoad(t *testing.T, b *Bench, want map[string]string) {
	t.Helper()
	if got := loadOf(b); !maps.Equal(got, want) {
		t.Errorf("taken along %v, not %v", got, want)
	}
}

func TestScriptsAndNotesTravelWithTheRecords(t *testing.T) {
	b := benchIn(t, map[string]string{"scripts/a.sh": "one", "notes/deep/n.md": "note", "artifacts/log": strings.Repeat("x", carriedArtifact+1), "spill/0123456789abcdef.txt": "x", "INDEX.md": "index"})
	wantLoad(t, b, map[string]string{"bench/scripts/a.sh": "one", "bench/notes/deep/n.md": "note"})
	wantLoad(t, b, map[string]string{})
	put(t, b.dir, map[string]string{"scripts/a.sh": "two!"})
	wantLoad(t, b, map[string]string{"bench/scripts/a.sh": "two!"})
	later := time.Now().Add(time.Hour)
	put(t, b.dir, map[string]string{"scripts/a.sh": "2wo!"})
	if err := os.Chtimes(filepath.Join(b.dir, "scripts/a.sh"), later, later); err != nil {
		t.Fatal(err)
	}
	wantLoad(t, b, map[string]string{"bench/scripts/a.sh": "2wo!"})
}

// A load that no record came to hold comes with the next one, and so do the words
// about what stays.
func TestALostRaceLosesNoScript(t *testing.T) {
	b := benchIn(t, map[string]string{"scripts/a.sh": "one", "notes/id_rsa": "x"})
	b.Load()
	l := b.Load()
	if told := b.Recorded(l); len(l.files) != 1 || len(told) != 1 {
		t.Errorf("taken along %v, told %q", l.files, told)
	}
}

// What a record holds an older state of is taken out once it is deleted, whatever
// it was meanwhile.
func TestAScriptThatStayedIsStillDeleted(t *testing.T) {
	for _, meanwhile := range []string{strings.Repeat("x", carriedFile+1), "-----BEGIN " + "PRIVATE KEY-----"} {
		b := benchIn(t, map[string]string{"scripts/a.sh": "one"})
		loadOf(b)
		put(t, b.dir, map[string]string{"scripts/a.sh": meanwhile})
		wantLoad(t, b, map[string]string{})
		if err := os.Remove(filepath.Join(b.dir, "scripts/a.sh")); err != nil {
			t.Fatal(err)
		}
		wantLoad(t, b, map[string]string{"bench/scripts/a.sh": "-"})
		wantLoad(t, b, map[string]string{})
	}
}

func TestDeletedScriptsGoButALostBenchRemovesNothing(t *testing.T) {
	b := benchIn(t, map[string]string{"scripts/a.sh": "a", "scripts/b.sh": "b", "notes/n.md": "n"})
	loadOf(b)
	if err := os.Remove(filepath.Join(b.dir, "scripts/a.sh")); err != nil {
		t.Fatal(err)
	}
	wantLoad(t, b, map[string]string{"bench/scripts/a.sh": "-"})
	if err := os.RemoveAll(filepath.Join(b.dir, "scripts")); err != nil {
		t.Fatal(err)
	}
	wantLoad(t, b, map[string]string{})
	if err := os.RemoveAll(b.dir); err != nil {
		t.Fatal(err)
	}
	wantLoad(t, b, map[string]string{})
	var none *Bench
	wantLoad(t, none, map[string]string{})
}

func TestWhatStaysOnThisMachineIsToldOnce(t *testing.T) {
	files := map[string]string{
		"scripts/ok.sh": "ok", "notes/large.md": strings.Repeat("x", carriedFile+1), "notes/.hidden": "h",
		"notes/key.txt": "-----BEGIN " + "PRIVATE KEY-----", "notes/id_rsa": "x", "notes/a:b": "x",
	}
	b := benchIn(t, files)
	if err := os.Symlink("/etc/passwd", filepath.Join(b.dir, "notes", "link")); err != nil {
		t.Skip(err)
	}
	l := b.Load()
	if len(l.files) != 1 || string(l.files["bench/scripts/ok.sh"]) != "ok" {
		t.Errorf("taken along %v", slices.Sorted(maps.Keys(l.files)))
	}
	told := b.Recorded(l)
	for _, name := range []string{"notes/large.md", "notes/key.txt", "notes/id_rsa", "notes/a:b"} {
		if !slices.ContainsFunc(told, func(w string) bool { return strings.Contains(w, "'"+name+"'") }) {
			t.Errorf("nobody is told that '%s' stays: %q", name, told)
		}
	}
	if again := b.Recorded(b.Load()); len(again) > 0 {
		t.Errorf("told again: %q", again)
	}
}

// Small artifacts travel, since reports point at them. One that outgrows the records
// leaves no older one there, and nobody is told what stays: nobody expects it.
func TestSmallArtifactsTravel(t *testing.T) {
	b := benchIn(t, map[string]string{"artifacts/log": "1 failed", "artifacts/large": strings.Repeat("x", carriedArtifact+1), "artifacts/id_rsa": "x"})
	l := b.Load()
	if told := b.Recorded(l); len(told) > 0 || len(l.files) != 1 || string(l.files["bench/artifacts/log"]) != "1 failed" {
		t.Errorf("taken along %v, told %q", l.files, told)
	}
	put(t, b.dir, map[string]string{"artifacts/log": strings.Repeat("x", carriedArtifact+1)})
	wantLoad(t, b, map[string]string{"bench/artifacts/log": "-"})
	wantLoad(t, b, map[string]string{})
}

// Together they are bounded, too.
func TestTheLoadIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range carriedAll/carriedFile + 3 {
		files[fmt.Sprintf("notes/%02d.md", i)] = strings.Repeat("x", carriedFile)
	}
	b := benchIn(t, files)
	l := b.Load()
	if len(l.files) != carriedAll/carriedFile || len(l.left) != 3 {
		t.Errorf("%d files, %d left", len(l.files), len(l.left))
	}
	b.Recorded(l)
	wantLoad(t, b, map[string]string{})
}
