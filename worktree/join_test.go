package worktree

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-flower/gitstate/gitcmd"
)

// both runs a test with git's own merge of objects and without it.
func both(t *testing.T, f func(t *testing.T, r *repo, p *Pool)) {
	for name, version := range map[string]gitcmd.Version{"objects": {Major: 2, Minor: 99}, "tree": {Major: 2, Minor: 34}} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, small)
			p := r.pool()
			f2, err := p.facts(context.Background())
			must(t, err)
			if version.Minor == 99 && !f2.version.AtLeast(2, 38) {
				t.Skip("this git cannot merge without files")
			}
			f2.version = version
			f(t, r, p)
		})
	}
}

// side makes a commit on base with files changed; an empty text deletes.
func (r *repo) side(base string, files map[string]string) string {
	r.t.Helper()
	r.git("checkout", "-q", "--detach", base)
	for name, text := range files {
		if text == "" {
			r.git("rm", "-q", "--", name)
		}
	}
	for name, text := range files {
		if text != "" {
			r.write(map[string]string{name: text})
		}
	}
	r.git("add", "-A")
	r.sides++ // no two are the same commit
	r.git("commit", "-q", "--allow-empty", "-m", fmt.Sprintf("side %d", r.sides))
	head := r.head()
	r.git("checkout", "-q", "main")
	return head
}

func TestJoin(t *testing.T) {
	tests := []struct {
		name         string
		base         map[string]string
		ours, theirs map[string]string
		names        string
		conflicts    []string
		shows        map[string]string
	}{
		{name: "apart", ours: map[string]string{"o": "o\n"}, theirs: map[string]string{"t": "t\n"}, names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|t|"},
		{name: "the same", ours: map[string]string{"o": "o\n"}, theirs: map[string]string{"o": "o\n"}, names: ".gitignore|lib/a.txt|lib/b.txt|main.go|o|"},
		{name: "one file, two places", ours: map[string]string{"lib/a.txt": "ONE\ntwo\nthree\n"}, theirs: map[string]string{"lib/a.txt": "one\ntwo\nthree\nfour\n"},
			names: ".gitignore|lib/a.txt|lib/b.txt|main.go|", shows: map[string]string{"lib/a.txt": "ONE\ntwo\nthree\nfour"}},
		{name: "one line", ours: map[string]string{"lib/a.txt": "o\n", "o": "o\n"}, theirs: map[string]string{"lib/a.txt": "t\n"}, conflicts: []string{"lib/a.txt"}},
		{name: "changed and deleted", ours: map[string]string{"lib/b.txt": ""}, theirs: map[string]string{"lib/b.txt": "t\n"}, conflicts: []string{"lib/b.txt"}},
		{name: "strange names", ours: map[string]string{"-n": "o\n", "a\nb": "o\n"}, theirs: map[string]string{"-n": "t\n", "a\nb": "t\n"}, conflicts: []string{"-n", "a\nb"}},
		{name: "by attributes of the join", ours: map[string]string{".gitattributes": "*.log merge=union\n", "x/.gitattributes": "*.txt merge=union\n", "l.log": "o\n", "x/y.txt": "o\n"},
			theirs: map[string]string{"l.log": "t\n", "x/y.txt": "t\n"}, names: ".gitattributes|.gitignore|l.log|lib/a.txt|lib/b.txt|main.go|x/.gitattributes|x/y.txt|",
			shows: map[string]string{"l.log": "o\nt", "x/y.txt": "o\nt"}},
	}
	both(t, func(t *testing.T, r *repo, p *Pool) {
		base := r.head()
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				ours, theirs := r.side(base, tt.ours), r.side(base, tt.theirs)
				refs, status := r.git("for-each-ref"), r.git("status", "--porcelain")
				got, err := p.Join(context.Background(), JoinSpec{Join: ours, Tip: theirs, Message: "join both\n\nFlower-Run: 1"})
				must(t, err)
				slices.Sort(got.Conflicts)
				if !slices.Equal(got.Conflicts, tt.conflicts) || (got.Commit == "") != (len(tt.conflicts) > 0) {
					t.Fatalf("%+v", got)
				}
				if now := r.git("for-each-ref"); now != refs || r.git("status", "--porcelain") != status {
					t.Error("refs or checkout changed")
				}
				if got.Commit == "" {
					return
				}
				if names := r.names(got.Commit); names != tt.names {
					t.Errorf("holds %q", names)
				}
				for name, text := range tt.shows {
					if got := r.show(got.Commit, name); got != text {
						t.Errorf("%s holds %q", name, got)
					}
				}
				if got := r.git("log", "-1", "--format=%P|%s|%(trailers:key=Flower-Run,valueonly)", got.Commit); strings.TrimSpace(got) != ours+" "+theirs+"|join both|1" {
					t.Errorf("the commit is %q", got)
				}
			})
		}
		if got := states(t, p); strings.Trim(got, "fre ") != "" {
			t.Errorf("trees are left: %q", got)
		}
		r.fsck()
	})
}

func TestJoinFastForwards(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t, small)
	p, base := r.pool(), r.head()
	on := r.side(base, map[string]string{"x": "x"})
	for _, spec := range []JoinSpec{{Tip: on}, {Join: base, Tip: on}, {Join: on, Tip: base}, {Join: on, Tip: on}} {
		if got, err := p.Join(ctx, spec); err != nil || got.Commit != on {
			t.Errorf("%+v: %+v, %v", spec, got, err)
		}
	}
	for _, spec := range []JoinSpec{{}, {Tip: "no-such"}, {Join: "no-such", Tip: on}, {Join: on, Tip: "--help"}, {Tip: base + "^{tree}"}} {
		if got, err := p.Join(ctx, spec); err == nil {
			t.Errorf("%+v: %+v", spec, got)
		}
	}
}

func TestJoinRefusesStrangers(t *testing.T) {
	r := newRepo(t, small)
	p := r.pool()
	stranger := r.git("commit-tree", "-m", "stranger", "HEAD^{tree}")
	if got, err := p.Join(context.Background(), JoinSpec{Join: r.head(), Tip: stranger}); err == nil {
		t.Errorf("joined as %+v", got)
	}
}

func FuzzReadMerge(f *testing.F) {
	facts := &facts{format: "sha1"}
	id := strings.Repeat("a", 40)
	f.Add(id+"\x00", false)
	f.Add(id+"\x00a\x00b\nc\x00", true)
	f.Add(id+"\x00a\x00\x001\x00a\x00Auto-merging\x00", true)
	f.Add("fatal", true)
	f.Fuzz(func(t *testing.T, out string, failed bool) {
		var err error
		if failed {
			err = context.Canceled
		}
		tree, conflicts, got := readMerge(facts, []byte(out), err)
		if got == nil && !facts.validID(tree) {
			t.Errorf("a tree %q", tree)
		}
		if failed && got == nil && len(conflicts) == 0 {
			t.Error("a failure passed as a clean merge")
		}
	})
}
