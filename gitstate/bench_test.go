package gitstate

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkAppend sets one append against the same writes by four processes of
// git's plumbing, with both sides synced and with neither.
func BenchmarkAppend(b *testing.B) {
	for _, noSync := range []bool{false, true} {
		name := map[bool]string{false: "synced", true: "unsynced"}[noSync]
		b.Run(name+"/gitstate", func(b *testing.B) { benchAppend(b, noSync) })
		b.Run(name+"/plumbing", func(b *testing.B) { benchPlumbing(b, noSync) })
	}
}

const benchBody = "## Conclusion\n\nThe flag is there.\n\n## Evidence\n\nok 12 tests\n\n## Output\n\nlist.go\n\n## Unverified\n\nnothing\n"

func benchAppend(b *testing.B, noSync bool) {
	s := open(b, newRepo(b), Config{NoSync: noSync})
	r := create(b, s, "bench")
	b.ResetTimer()
	for i := range b.N {
		add(b, r, Record{Kind: KindReport, Subject: "done", Meta: Meta{Worker: "coder-1", Round: i + 1}, Body: benchBody})
	}
}

func benchPlumbing(b *testing.B, noSync bool) {
	dir := newRepo(b)
	global := []string{"-c", "core.fsync=loose-object,reference"}
	if noSync {
		global = []string{"-c", "core.fsync=none"}
	}
	git := func(stdin string, args ...string) string { return runIn(b, dir, stdin, append(global, args...)...) }
	path := filepath.Join(b.TempDir(), "doc")
	list, tip := "", ""
	b.ResetTimer()
	for i := range b.N {
		body := fmt.Sprintf("---\nkind: report\nround: %d\n---\n\n%s", i, benchBody)
		if err := os.WriteFile(path, []byte(body), 0o666); err != nil {
			b.Fatal(err)
		}
		blob := git(path+"\n", "hash-object", "-w", "--stdin-paths")
		list += "100644 blob " + blob + fmt.Sprintf("\t%06d.md\n", i)
		root := mktrees(b, dir, global, list)
		parent := ""
		if tip != "" {
			parent = "parent " + tip + "\n"
		}
		who := "Ada Lovelace <ada@example.com> 1700000000 +0000\n"
		next := git("tree "+root+"\n"+parent+"author "+who+"committer "+who+"\nreport: done\n\n    text\n\nFlower-Kind: report\n",
			"hash-object", "-w", "-t", "commit", "--stdin")
		git("", "update-ref", "--create-reflog", "-m", "record", "refs/flower/run/bench", next, tip)
		tip = next
	}
}

// mktrees writes a folder's tree and the tree that holds it with one process.
func mktrees(b *testing.B, dir string, global []string, list string) string {
	cmd := exec.CommandContext(b.Context(), "git", append(global, "mktree", "--batch")...)
	cmd.Dir = dir
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	tree := func(list string) string {
		if _, err := fmt.Fprint(in, list+"\n"); err != nil {
			b.Fatal(err)
		}
		var id string
		if _, err := fmt.Fscanln(out, &id); err != nil {
			b.Fatal(err)
		}
		return id
	}
	root := tree("040000 tree " + tree(list) + "\treports\n")
	if err := in.Close(); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return root
}

// BenchmarkRuns sets the list of runs against for-each-ref printing the same
// trailers.
func BenchmarkRuns(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		dir := manyRuns(b, n)
		b.Run(fmt.Sprintf("%d/gitstate", n), func(b *testing.B) {
			s := open(b, dir, Config{})
			for range b.N {
				runs, err := s.Runs(b.Context())
				if err != nil || len(runs) != n || runs[0].Err != nil {
					b.Fatal(len(runs), err, runs[0].Err)
				}
			}
		})
		b.Run(fmt.Sprintf("%d/for-each-ref", n), func(b *testing.B) {
			for range b.N {
				out := run(b, dir, "for-each-ref", "--format=%(refname) %(objectname) %(committerdate:unix) %(contents:trailers:unfold)", "refs/flower/run/")
				if strings.Count(out, "Flower-Kind") != n {
					b.Fatal("unexpected output")
				}
			}
		})
	}
}

// manyRuns makes a repository with n runs of one record each, packed.
func manyRuns(b *testing.B, n int) string {
	dir := newRepo(b)
	var in strings.Builder
	for i := range n {
		d, file, err := newDoc(KindRequest, Meta{Wake: "w1"}, fmt.Sprintf("Request %d\n\n%s", i, benchBody), 1)
		if err != nil {
			b.Fatal(err)
		}
		message := newMessage(randomID(), "", d).print()
		fmt.Fprintf(&in, "blob\nmark :1\ndata %d\n%s\n", len(file), file)
		fmt.Fprintf(&in, "commit refs/flower/run/run-%d\ncommitter Ada <ada@example.com> %d +0000\ndata %d\n%s\nM 100644 :1 %s\n\n",
			i, 1700000000+i, len(message), message, d.Name())
	}
	runIn(b, dir, in.String(), "fast-import", "--quiet")
	run(b, dir, "pack-refs", "--all")
	return dir
}

// BenchmarkLongRun reads, extends and checks a run of 1,000 records.
func BenchmarkLongRun(b *testing.B) {
	dir := newRepo(b)
	s := open(b, dir, Config{NoSync: true})
	r := create(b, s, "long")
	for i := range 1000 {
		kind := []Kind{KindReport, KindStep, KindSession, KindVerdict}[i%4]
		add(b, r, Record{Kind: kind, Subject: "x", Meta: Meta{Worker: "coder-1", Session: fmt.Sprint("s", i), Round: i}, Body: benchBody})
	}
	b.Run("open", func(b *testing.B) {
		for range b.N {
			if _, err := s.Run(b.Context(), "long"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("log", func(b *testing.B) {
		for range b.N {
			if err := s.Log(b.Context(), "long", func(Entry) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("git log", func(b *testing.B) {
		for range b.N {
			run(b, dir, "log", "--format=%H %s %(trailers)", "flower/run/long")
		}
	})
	b.Run("fsck", func(b *testing.B) {
		for range b.N {
			if problems, err := s.Fsck(b.Context(), "long"); err != nil || len(problems) > 0 {
				b.Fatal(problems, err)
			}
		}
	})
	b.Run("append", func(b *testing.B) {
		for range b.N {
			add(b, r, Record{Kind: KindReport, Subject: "x", Body: benchBody})
		}
	})
}
