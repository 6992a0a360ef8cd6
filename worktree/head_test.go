package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const someID = "0123456789abcdef0123456789abcdef01234567"

// gitDirWith makes a slot whose git directory holds files.
func gitDirWith(t *testing.T, files map[string]string) *slot {
	t.Helper()
	s := &slot{name: "1", dir: t.TempDir()}
	put(t, s.git(), files)
	return s
}

func TestReadHead(t *testing.T) {
	p := newRepo(t, nil).pool()
	long := "refs/heads/" + strings.Repeat("x", 3000)
	tests := []struct {
		name  string
		files map[string]string
		want  head
		fails bool
	}{
		{"detached", map[string]string{"HEAD": someID + "\n"}, head{commit: someID}, false},
		{"without newline", map[string]string{"HEAD": someID}, head{commit: someID}, false},
		{"on a branch", map[string]string{"HEAD": "ref: refs/heads/main\n", "refs/heads/main": someID + "\n"}, head{someID, "refs/heads/main"}, false},
		{"on a deep branch", map[string]string{"HEAD": "ref: refs/heads/a/b/c\n", "refs/heads/a/b/c": someID + "\n"}, head{someID, "refs/heads/a/b/c"}, false},
		{"on a packed branch", map[string]string{"HEAD": "ref: refs/heads/main\n", "packed-refs": "# pack-refs with: peeled\n" + someID + " refs/heads/main\n"}, head{someID, "refs/heads/main"}, false},
		{"loose before packed", map[string]string{"HEAD": "ref: refs/heads/main\n", "refs/heads/main": someID + "\n", "packed-refs": strings.Repeat("1", 40) + " refs/heads/main\n"}, head{someID, "refs/heads/main"}, false},
		{"a ref to a ref", map[string]string{"HEAD": "ref: refs/heads/a\n", "refs/heads/a": "ref: refs/heads/b\n", "refs/heads/b": someID + "\n"}, head{someID, "refs/heads/b"}, false},
		{"unborn", map[string]string{"HEAD": "ref: refs/heads/none\n"}, head{"", "refs/heads/none"}, false},
		{"missing", map[string]string{"config": ""}, head{}, false},
		{"empty", map[string]string{"HEAD": ""}, head{}, true},
		{"too short", map[string]string{"HEAD": someID[1:] + "\n"}, head{}, true},
		{"sha256 in a sha1 repository", map[string]string{"HEAD": someID + someID[:24] + "\n"}, head{}, true},
		{"upper case", map[string]string{"HEAD": strings.ToUpper(someID) + "\n"}, head{}, true},
		{"two lines", map[string]string{"HEAD": someID + "\n" + someID + "\n"}, head{}, true},
		{"an option", map[string]string{"HEAD": "--all\n"}, head{}, true},
		{"up and out", map[string]string{"HEAD": "ref: ../../etc/passwd\n"}, head{}, true},
		{"up and out below refs", map[string]string{"HEAD": "ref: refs/../../x\n"}, head{}, true},
		{"absolute", map[string]string{"HEAD": "ref: /etc/passwd\n"}, head{}, true},
		{"a lock", map[string]string{"HEAD": "ref: refs/heads/x.lock\n", "refs/heads/x.lock": someID}, head{}, true},
		{"not below refs", map[string]string{"HEAD": "ref: config\n", "config": someID}, head{}, true},
		{"very long", map[string]string{"HEAD": "ref: " + long + "\n"}, head{}, true},
		{"huge", map[string]string{"HEAD": strings.Repeat("0", 1<<20)}, head{}, true},
		{"a branch that is a folder", map[string]string{"HEAD": "ref: refs/heads/a\n", "refs/heads/a/b": someID}, head{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := p.readHead(context.Background(), gitDirWith(t, tt.files), "HEAD")
			if (err != nil) != tt.fails {
				t.Fatalf("%+v, %v", got, err)
			}
			if err == nil && got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	p := newRepo(t, nil).pool()
	s := gitDirWith(t, map[string]string{"config": ""})
	elsewhere := filepath.Join(t.TempDir(), "HEAD")
	must(t, os.WriteFile(elsewhere, []byte(someID+"\n"), 0o600))
	must(t, os.Symlink(elsewhere, filepath.Join(s.git(), "HEAD")))
	if got, err := p.readHead(context.Background(), s, "HEAD"); err == nil {
		t.Errorf("read %+v through a link", got)
	}
}

// validRef must take what git takes under refs/, and nothing that git refuses.
func TestValidRefAgreesWithGit(t *testing.T) {
	dir := t.TempDir()
	part := rapid.SampledFrom([]string{"a", "B-1", "x.y", ".x", "x.", "x.lock", "a..b", "a@{b", "@", "日本", "a b", "a~", "a^", "a:", "a?", "a*", "a[", "a\\", "", "a\x7f", "a\tb", "-x", "lock", "a.lock.b", "{", "}"})
	rapid.Check(t, func(t *rapid.T) {
		name := "refs/" + strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "parts"), "/")
		_, err := try(dir, "git", "check-ref-format", name)
		if got := validRef(name); got != (err == nil) {
			t.Fatalf("%q: valid %v, git says %v", name, got, err)
		}
	})
	for _, name := range []string{"", "HEAD", "refs", "refs/", "heads/main", "/refs/heads/x", "refs//x", "refs/x/"} {
		if validRef(name) {
			t.Errorf("%q is taken", name)
		}
	}
}

func FuzzReadRef(f *testing.F) {
	f.Add("ref: refs/heads/main\n", someID+" refs/heads/main\n")
	f.Add(someID, "")
	f.Add("ref: refs/heads/\x00", "^"+someID+"\n")
	f.Add("ref:refs/heads/main", "# pack-refs with: sorted\n"+someID+" refs/heads/main\n^"+someID+"\n")
	facts := &facts{format: "sha1", config: map[string]string{}}
	f.Fuzz(func(t *testing.T, text, packed string) {
		s := &slot{dir: t.TempDir()}
		must(t, os.MkdirAll(s.git(), 0o700))
		must(t, os.WriteFile(filepath.Join(s.git(), "HEAD"), []byte(text), 0o600))
		must(t, os.WriteFile(filepath.Join(s.git(), "packed-refs"), []byte(packed), 0o600))
		p := &Pool{known: facts}
		h, err := p.readHead(context.Background(), s, "HEAD")
		if err == nil && h.commit != "" && !facts.validID(h.commit) {
			t.Errorf("a commit %q", h.commit)
		}
		if err == nil && h.branch != "" && !validRef(h.branch) {
			t.Errorf("a branch %q", h.branch)
		}
	})
}
