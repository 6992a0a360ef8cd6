package gitstate

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// seeds adds the examples of the format to a fuzz target.
func seeds(f *testing.F, pattern string) {
	paths, err := filepath.Glob(filepath.Join("testdata", "format", pattern))
	if err != nil || len(paths) == 0 {
		f.Fatalf("%v, %d examples", err, len(paths))
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

// FuzzDocument: what is read is printed again to the byte.
func FuzzDocument(f *testing.F) {
	seeds(f, "*.md")
	f.Fuzz(func(t *testing.T, file []byte) {
		if d, err := parseDoc(file); err == nil && !bytes.Equal(d.print(), file) {
			t.Errorf("%q is printed as %q", file, d.print())
		}
	})
}

// FuzzCommit: a commit whose message is read strictly is printed again to the
// byte, and the quick reading finds the same.
func FuzzCommit(f *testing.F) {
	seeds(f, "*.commit")
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := parseCommit(raw)
		if err != nil {
			return
		}
		m, err := parseMessage(c.Message)
		if err != nil {
			return
		}
		if !bytes.Equal(m.print(), c.Message) {
			t.Errorf("%q is printed as %q", c.Message, m.print())
		}
		if quick, _, err := scanHead(c.Message); err != nil || quick.Run != m.Run || quick.Subject != m.Subject {
			t.Errorf("read quickly it is %+v, %v", quick, err)
		}
	})
}

// FuzzTree: a tree that is read in git's order is printed again to the byte.
func FuzzTree(f *testing.F) {
	f.Add([]byte("100644 a\x0001234567890123456789" + "40000 b\x0001234567890123456789"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		tree, err := parseTree(raw, 20)
		if err != nil {
			return
		}
		printed, err := tree.print()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseTree(printed, 20)
		if err != nil || len(again.items) != len(tree.items) {
			t.Errorf("%q is printed as %q: %v", raw, printed, err)
		}
	})
}

// FuzzAnswers: whatever a process says, reading ends and holds no more than
// was said.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte("0123 commit 4\ntext\n4567 missing\n"))
	f.Add([]byte("0123 blob 4\ntext\n"))
	f.Add([]byte("0123 blob 99999999999\ntext\n"))
	f.Add([]byte("0123\x00p\x00A <a>\x0012\x00x: y\n\nFlower-Format: 1\n\x00\n"))
	f.Fuzz(func(t *testing.T, said []byte) {
		in := func() *bufio.Reader { return bufio.NewReaderSize(bytes.NewReader(said), 64) }
		if a, err := readAnswer(in()); err == nil && len(a.data) > len(said) {
			t.Errorf("%d bytes of %d", len(a.data), len(said))
		}
		tips, ids := []tip{{ref: runRefs + "x"}, {ref: runRefs + "y"}}, []ObjectID{"0123", "4567"}
		if runs, err := readTips(in(), tips, ids); err == nil && len(runs) != len(tips) {
			t.Errorf("%d summaries of %d runs", len(runs), len(tips))
		}
		if e, err := readEntry(in()); err == nil && len(e.Body) > len(said) {
			t.Errorf("%d bytes of %d", len(e.Body), len(said))
		}
	})
}
