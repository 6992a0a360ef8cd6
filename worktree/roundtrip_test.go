package worktree

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// commitRaw makes a commit of files whose blobs are the bytes given, whatever the
// attributes say.
func (r *repo) commitRaw(files map[string]string) string {
	r.t.Helper()
	r.git("read-tree", "--empty")
	for name, text := range files {
		blob := filepath.Join(r.t.TempDir(), "blob")
		must(r.t, os.WriteFile(blob, []byte(text), 0o644))
		id := r.git("hash-object", "-w", "--no-filters", blob)
		r.git("update-index", "--add", "--cacheinfo", "100644,"+id+","+name)
	}
	return r.git("commit-tree", "-m", "raw", r.git("write-tree"))
}

var (
	oddAttributes = []string{
		"* text=auto", "* text", "* -text", "*.a text", "*.a eol=crlf", "*.a text eol=lf", "*.b ident", "*.b eol=crlf ident",
		"*.c working-tree-encoding=UTF-16LE-BOM", "*.c text working-tree-encoding=ISO-8859-1", "*.d filter=upper", "*.d filter=salted", "*.d filter=gone", "*.a binary", "* !text",
	}
	oddContents = []string{
		"", "\n", "a\nb\n", "a\r\nb\r\n", "a\r\nb\n", "a\rb\r", "a\r\r\nb", "$Id$\n", "$Id: wrong $\r\n", "$Id: unended\n", "\x00\r\n", "\xff\xfe\n", "gr\u00fc\u00df\n",
		"#!/bin/sh\r\n", "a\x1a", strings.Repeat("x\r\n", 5000),
	}
)

// Whatever the attributes make of the files: a tree is handed out that equals its
// base, in which nobody has changed anything; it goes back, and is given out again.
func TestOddFilesAreNotChanges(t *testing.T) {
	fewChecks(t, 6) // each takes a second
	rapid.Check(t, func(rt *rapid.T) {
		files := map[string]string{"lib/x.a": oddContents[3]}
		for range rapid.IntRange(1, 6).Draw(rt, "files") {
			name := rapid.SampledFrom([]string{"f", "lib/g", "d/e/h", "\u65e5"}).Draw(rt, "name") + "." + rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "ending")
			files[name] = rapid.SampledFrom(oddContents).Draw(rt, "content")
		}
		for _, name := range []string{".gitattributes", "lib/.gitattributes"} {
			if rules := rapid.SliceOfN(rapid.SampledFrom(oddAttributes), 0, 4).Draw(rt, name); len(rules) > 0 {
				files[name] = strings.Join(rules, "\n") + "\n"
			}
		}
		autocrlf := rapid.SampledFrom([]string{"false", "true", "input"}).Draw(rt, "core.autocrlf")
		if err := oddLife(t, files, autocrlf); err != nil {
			rt.Fatalf("%.2000q, core.autocrlf %s: %v", files, autocrlf, err)
		}
	})
}

// fewChecks has rapid check n cases in this test, unless it is told another number
// than its own or random tests are to be run whole. Those with which it makes a
// failure smaller do not count.
func fewChecks(t *testing.T, n int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if was := checks.Value.String(); was == checks.DefValue && !long() {
		must(t, checks.Value.Set(strconv.Itoa(n)))
		t.Cleanup(func() { checks.Value.Set(was) })
	}
}

func oddLife(t *testing.T, files map[string]string, autocrlf string) error {
	ctx := context.Background()
	r := newRepo(t, nil)
	for key, value := range map[string]string{
		"core.autocrlf": autocrlf, "filter.upper.smudge": "tr a-z A-Z", "filter.upper.clean": "cat",
		"filter.salted.clean": "cat; date +%N", "filter.gone.clean": "no-such-program",
	} {
		r.git("config", key, value)
	}
	p, base := r.pool(), r.commitRaw(files)
	want := r.git("rev-parse", base+"^{tree}")
	for _, worker := range []string{"coder-1", "coder-2"} {
		tree, err := p.Add(ctx, Spec{Run: "run", Worker: worker, Base: base})
		if err != nil {
			return err
		}
		if snap, err := p.Snapshot(ctx, tree, ""); err != nil || snap.Commit != base || len(snap.LeftOut) > 0 {
			return fmt.Errorf("a snapshot of nothing: %+v, %w", snap, err)
		}
		must(t, os.Chtimes(filepath.Join(tree.Path, "lib/x.a"), p.c.Now(), p.c.Now()))
		if digest, err := p.TreeDigest(ctx, tree); err != nil || digest != want {
			return fmt.Errorf("the digest is %s: %w\n%s", digest, err, r.git("diff-tree", "-r", want, digest))
		}
		if got, err := p.Finish(ctx, tree, CommitMessage{Subject: "work"}); err != nil || got.Tip != base || len(got.LeftOut)+len(got.Notes) > 0 {
			return fmt.Errorf("it was finished as %+v, %w", got, err)
		}
		if err := p.Release(ctx, tree); err != nil {
			return err
		}
		if free, err := p.List(ctx); err != nil || len(free) != 1 || free[0].Base != base {
			return fmt.Errorf("given back it is %+v, %w", free, err)
		}
	}
	return nil
}

// Git's parallel checkout reads the name of an encoding after it has freed it:
// whether the file comes out right depends on what else there is. These are cases
// in which it did not, each time (git 2.39); in the second the file cannot even be
// taken for an encoded one.
func TestEncodedFilesAreNotChanges(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"of another size": {
			".gitattributes": "* -text\n", "lib/.gitattributes": "*.d filter=gone\n*.c working-tree-encoding=UTF-16LE-BOM\n",
			"f.a": "#!/bin/sh\r\n", "f.b": "$Id: wrong $\r\n", "lib/g.c": "a\rb\r", "lib/x.a": "a\r\nb\r\n", "\u65e5.d": "gr\u00fc\u00df\n", "\u65e5.c": strings.Repeat("x\r\n", 5000),
		},
		"of an odd size": {
			"lib/.gitattributes": "* text=auto\n* text\n* text=auto\n*.c working-tree-encoding=UTF-16LE-BOM\n",
			"d/e/h.a":            "a\nb\n", "lib/g.a": strings.Repeat("x\r\n", 5000), "lib/g.c": "\n", "lib/x.a": "a\r\nb\r\n", "\u65e5.c": "a\r\nb\r\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := oddLife(t, files, "false"); err != nil {
				t.Error(err)
			}
		})
	}
}

// Names, modes and kinds that are rare: the tree equals its base, or there is none.
func TestOddNamesAndKinds(t *testing.T) {
	r := newRepo(t, small)
	long := strings.Repeat(strings.Repeat("d", 200)+"/", 15) + strings.Repeat("f", 255)
	sh(t, r.dir, `
		printf x >"new
line"; mkdir -p "tab	and \"quotes\"" && printf x >"tab	and \"quotes\"/back\\slash"; printf x >" "; printf x >-q; printf x >:top
		ln -s /etc/passwd absolute; ln -s ../../../.. up; ln -s loop loop; ln -s nowhere dangling; ln -s lib folder; ln -s "" empty 2>/dev/null || :
		printf lower >readme; printf upper >README; mkdir Dir dir; printf 1 >Dir/x; printf 2 >dir/x
		printf x >run; chmod 755 run; git add -A
		git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),module
		git update-index --add --cacheinfo 100644,$(printf x | git hash-object -w --stdin),'`+long+`'
		g commit -q -m odd`)
	p, base := r.pool(), r.head()
	for _, worker := range []string{"coder-1", "coder-2"} {
		tree := add(t, p, worker, base)
		if digest, err := p.TreeDigest(context.Background(), tree); err != nil || digest != r.git("rev-parse", base+"^{tree}") {
			t.Errorf("the digest is %s, %v\n%s", digest, err, r.git("diff-tree", "-r", base, digest))
		}
		if got := finish(t, p, tree); got.Tip != base || len(got.LeftOut)+len(got.Notes) > 0 {
			t.Errorf("%+v", got)
		}
		must(t, p.Release(context.Background(), tree))
	}
	tooLong := r.git("commit-tree", "-m", "long", "-p", base, sh(t, r.dir, `git update-index --add --cacheinfo 100644,$(git hash-object lib/a.txt),`+strings.Repeat("n", 300)+`; git write-tree`))
	if _, err := p.Add(context.Background(), Spec{Run: "run", Worker: "coder-3", Base: tooLong}); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a name that no file can have: %v", err)
	}
}

// What a worker does to modes is no loss: what cannot be read is named.
func TestUnreadableModes(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	r := newRepo(t, small)
	p := r.pool()
	tree := add(t, p, "coder-1", r.head())
	sh(t, tree.Path, "echo x >new; echo y >closed; chmod 0 closed; mkdir d; echo z >d/z; chmod 0 d lib/b.txt")
	got := finish(t, p, tree)
	contains(t, got.LeftOut, "closed")
	contains(t, got.LeftOut, "d (cannot be read)")
	if r.show(got.Tip, "new") != "x" || r.show(got.Tip, "lib/b.txt") != "b" {
		t.Errorf("%+v", got)
	}
	if err := p.Release(context.Background(), tree); !isType[*AsideError](err) {
		t.Errorf("given back with files in it that nobody has read: %v", err)
	}
}
