package worktree

import (
	"context"
	"strings"
	"testing"
)

func TestFilesOfACommit(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	large := strings.Repeat("x", maxFile)
	base := r.side(r.head(), map[string]string{"日\n本": "x\ny", "-n": "x\n", "dir/a": "a\n", "dir/same": "a\n", "large": large, "larger": large + "x", "bytes": "\x00\nblob 3\n"})
	r.git("read-tree", base)
	r.git("update-index", "--add", "--cacheinfo", "120000,"+r.git("rev-parse", base+":dir/a")+",link")
	commit := r.git("commit-tree", "-m", "x", r.git("write-tree"))
	got, err := r.pool().Files(ctx, commit, []string{"日\n本", "-n", "dir", "dir/a", "dir/same", "large", "larger", "bytes", "link", "none", "../x", ""})
	must(t, err)
	want := map[string]string{"日\n本": "x\ny", "-n": "x\n", "dir/a": "a\n", "dir/same": "a\n", "large": large, "bytes": "\x00\nblob 3\n"}
	for name, f := range got {
		text, plain := want[name]
		if f.Plain != plain || f.Text != text || f.ID == "" {
			t.Errorf("%q: %.40v", name, f)
		}
	}
	if len(got) != len(want)+2 || got["link"].ID == got["dir/a"].ID || got["dir/a"].ID != got["dir/same"].ID || got["larger"].ID == "" {
		t.Errorf("%d files, link %v", len(got), got["link"])
	}
	if _, err := r.pool().Files(ctx, "--help", []string{"a"}); err == nil {
		t.Error("read files of an option")
	}
	if got, err := r.pool().Files(ctx, commit, nil); err != nil || len(got) != 0 {
		t.Errorf("no paths: %v, %v", got, err)
	}
}

func TestBatchOfGit(t *testing.T) {
	for _, bad := range []string{"abc missing\n", "abc 5\nxy\n", "abc -1\n\n", "abc 9223372036854775807\nx\n", "x"} {
		if got, err := readBatch([]byte(bad)); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}
