//go:build linux

package guards_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"git-flower/guards"
)

// A box is a scratch repository in a sandbox: no network, no processes but its
// own, and nothing else that can be written.
type box struct {
	dir    string // holds the repository, a home, and a repository that is not trusted
	env    []string
	before []string
}

// inBox runs commands as children of a process 1 of its own, and says which
// processes they left behind; what ends by itself gets a moment for it.
const inBox = `mount --bind "$1" "$1" && mount -o remount,ro,bind / || exit 99
cd "$1/repo" || exit 99
shell=$2
shift 2
for command; do "$shell" -c "$command" </dev/null >/dev/null 2>&1; done
tries=0
while set -- /proc/[0-9]*; [ $# -gt 1 ] && [ $tries -lt 20000 ]; do tries=$((tries + 1)); done
shift
for left; do echo "$left"; done`

// newBox makes a sandbox, or skips the test where there can be none.
func newBox(t *testing.T) *box {
	t.Helper()
	if out, err := exec.Command("unshare", "-Urmnpf", "--mount-proc", "true").CombinedOutput(); err != nil {
		t.Skipf("missing unshare with user namespaces: %v %s", err, out)
	}
	b := &box{dir: t.TempDir()}
	b.env = guards.LookEnv([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(b.dir, "home"), "LC_ALL=C", "TERM=dumb",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + b.dir, "TMPDIR=" + filepath.Join(b.dir, "tmp")})
	for _, name := range []string{"home/.ssh/config", "tmp/x", "repo/a.gz", "repo/a.zip", "repo/scripts/build.sh", "repo/docs/sub/b.md", "repo/--output=pwned", "repo/-opwned"} {
		b.write(t, name)
	}
	for _, name := range strings.Fields("main.go README.md go.mod go.sum a.txt b.txt app.log a.csv config.json .gitignore docs/a.md internal/x.go build/x fix.patch files.txt Makefile calc.py f x.txt") {
		b.write(t, "repo/"+name)
	}
	b.build(t, "repo", "git init -q -b main", "git config user.name x && git config user.email x@x", "git add . && git commit -qm one", "git tag v1.0",
		"git branch feature", "echo more >>main.go && git commit -qam two", "echo dirty >>a.txt", "git remote add origin /nowhere", "git update-ref refs/heads/--output=pwned HEAD",
		"gzip -k -c a.txt >a.gz; tar cf a.tar docs; tar czf a.tgz docs; touch -d '2001-01-01' README.md")
	b.plant(t)
	b.before = b.state(t)
	return b
}

// plant makes repositories whose configuration writes a file wherever git lets it
// run something: one beside the checkout, and one in it.
func (b *box) plant(t *testing.T) {
	for _, at := range []string{"evil", "repo/vendor"} {
		b.write(t, at+"/main.go")
		pwn := "touch " + filepath.Join(b.dir, at, "pwned") + ";cat"
		b.build(t, at, "git init -q -b main && git config user.name x && git config user.email x@x", "echo '* filter=e diff=e' >.gitattributes",
			"git add . && git commit -qm one && echo more >>main.go && git commit -qam two && echo dirty >>main.go",
			"git config filter.e.clean '"+pwn+"'", "git config diff.e.textconv '"+pwn+"'", "git config diff.e.command '"+pwn+"'", "git config diff.external '"+pwn+"'",
			"git config core.fsmonitor '"+pwn+"'", "git config gpg.program '"+pwn+"'", "git config log.showSignature true", "git config core.pager '"+pwn+"'")
	}
}

func (b *box) write(t *testing.T, name string) {
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("module x\nfoo TODO 'a' 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (b *box) build(t *testing.T, at string, scripts ...string) {
	t.Helper()
	for _, script := range scripts {
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir, cmd.Env = filepath.Join(b.dir, at), b.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
}

// run runs commands, and says what came of them that should not.
func (b *box) run(t *testing.T, shell string, commands ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "unshare", append([]string{"-Urmnpf", "--mount-proc", "sh", "-c", inBox, "sh", b.dir, shell}, commands...)...)
	cmd.Env, cmd.WaitDelay = b.env, time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "does not end"
	}
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() == 99) {
		t.Fatalf("the sandbox: %v\n%s", err, out)
	}
	if len(out) > 0 {
		return "left running:\n" + string(out)
	}
	if after := b.state(t); !slices.Equal(b.before, after) {
		return "changed:\n" + strings.Join(difference(b.before, after), "\n")
	}
	return ""
}

// state lists everything in the box: names, modes, times and content, and with it
// every ref, setting and index. Go counts its own calls in the home folder.
func (b *box) state(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || strings.Contains(path, "home/.config") {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s %v", path, info.Mode())
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %v %x", info.ModTime().UnixNano(), sha256.Sum256(data))
		}
		all = append(all, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func difference(before, after []string) []string {
	var out []string
	for _, line := range after {
		if !slices.Contains(before, line) {
			out = append(out, "now "+line)
		}
	}
	for _, line := range before {
		if !slices.Contains(after, line) {
			out = append(out, "was "+line)
		}
	}
	return out
}

func shells(t *testing.T) []string {
	var found []string
	for _, name := range []string{"bash", "dash"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Logf("missing %s", name)
			continue
		}
		found = append(found, name)
	}
	return found
}

// The sandbox itself must notice.
func TestTheBoxNotices(t *testing.T) {
	b := newBox(t)
	for command, sign := range map[string]string{
		"touch pwned": "changed", "chmod +x main.go": "changed", "touch main.go": "changed", "git update-ref refs/heads/x HEAD": "changed",
		"sleep 60 &": "left running", "git -C vendor status": "changed", "git -C ../evil log -p": "changed", "git -C ../evil diff": "changed",
	} {
		b := &box{dir: b.dir, env: b.env, before: b.state(t)}
		if got := b.run(t, "bash", command); !strings.Contains(got, sign) {
			t.Errorf("%q: %q, want %s", command, got, sign)
		}
	}
}

// blame runs commands together, and one by one to find the one at fault.
func (b *box) blame(t *testing.T, shell string, commands []string) string {
	t.Helper()
	if b.run(t, shell, commands...) == "" {
		return ""
	}
	b.before = b.state(t)
	for _, c := range commands {
		if wrong := b.run(t, shell, c); wrong != "" {
			return fmt.Sprintf("%s -c %q %s", shell, c, wrong)
		}
	}
	return fmt.Sprintf("%s: %q together", shell, commands)
}

// What passes is run, as printed, by every shell that may be asked to: no byte,
// time, ref or setting may change by it, and nothing may be left running. The
// index is an exception for describe --dirty: git (2.39) notes in it which files
// it has found unchanged, whatever is said of locks.
func TestWhatPassesChangesNothing(t *testing.T) {
	b, ran := newBox(t), 0
	var commands []string
	for _, r := range allowed(t) {
		if printed, ok, _ := guards.Glance(r); ok && !strings.Contains(printed, "--dirty") {
			commands = append(commands, printed)
		}
	}
	for n, shell := range shells(t) {
		for i, some := range slices.Collect(slices.Chunk(commands, 24)) {
			if n > 0 && i%4 > 0 && os.Getenv("TEST_LONG") == "" {
				continue
			}
			ran += len(some)
			if wrong := b.blame(t, shell, some); wrong != "" {
				t.Error(wrong)
				b.before = b.state(t)
			}
		}
	}
	t.Logf("%d commands ran", ran)
}

// pieces are what commands are made of in TestWhatIsMadeUpChangesNothing: looks,
// and words that would make them something else.
var (
	heads = strings.Split("git status;git log;git diff;git show;git branch;git tag;git stash;git remote;git config;git ls-files;git grep foo;git blame main.go;git -C vendor log;"+
		"git -C vendor show;git -C docs status;git -C ../evil log;git -C vendor diff;git -C ../evil status;git add;git clean;git apply;git archive HEAD;git reflog;git notes;git worktree;"+
		"ls;cat a.txt;head;tail;wc;grep foo;find .;find docs;sort a.txt;uniq a.txt;sed;awk;cut;tr a b;tee;xargs;diff a.txt;file;stat;du;tree;xxd a.txt;gzip;tar;date;ps;echo;printf;"+
		"for f in *; do git log;for f in a.txt -n; do cat;while read -r f; do head;if test;test;[;[[;cd docs &&;cd ../evil &&;time;timeout 5;env;nice;command;x=main;read x;bash -c", ";")
	tails = strings.Split("-p;--output=pwned;-o;-opwned;pwned;--stat;-1;-2;HEAD;main;-D;-d;feature;--;*;./*;-n;--dry-run;-f;-i;-w;\"$f\";$f;\"$x\";-exec;-delete;touch;{};\\;;+;'1p';'w pwned';"+
		"'{print > \"pwned\"}';'{print $1}';'s/a/b/w pwned';'s/a/b/';-e;-r;-c;-l;-t;-v;--check;README.md;a.gz;a.tar;;done;; done;; fi;; then ls; fi;] ;]];>pwned;>/dev/null;2>&1;|;| sort;| xargs;"+
		"| tee;&&;||;&;--textconv;--ext-diff;--format=%G?;--show-signature;--index;--cached;list;show;pop;add;$(git rev-parse HEAD);$(cat a.txt);`ls`;<a.txt;<(ls);<<<x;$'\\t';{a,b}", ";")
)

func TestWhatIsMadeUpChangesNothing(t *testing.T) {
	b, seen, ran := newBox(t), 0, 0
	shells := shells(t)
	word := rapid.Custom(func(rt *rapid.T) string {
		if rapid.IntRange(0, 5).Draw(rt, "kind") == 0 {
			return rapid.SampledFrom([]string{"&&", ";", "|", "||", "\n"}).Draw(rt, "join") + " " + rapid.SampledFrom(heads).Draw(rt, "head")
		}
		return rapid.SampledFrom(tails).Draw(rt, "tail")
	})
	limit := 150
	if os.Getenv("TEST_LONG") != "" {
		limit = 4000
	}
	var looks []string
	done := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		for i := 0; i < 1000 && len(looks) < limit; i++ {
			cmd := rapid.SampledFrom(heads).Draw(rt, "first") + " " + strings.Join(rapid.SliceOfN(word, 0, 5).Draw(rt, "words"), " ")
			printed, ok, _ := guards.Glance(cmd)
			seen++
			if ok && !done[printed] && !strings.Contains(printed, "--dirty") {
				done[printed], looks = true, append(looks, printed)
			}
		}
	})
	for _, shell := range shells {
		for some := range slices.Chunk(looks, 24) {
			ran += len(some)
			if wrong := b.blame(t, shell, some); wrong != "" {
				t.Error(wrong)
				b.before = b.state(t)
			}
		}
	}
	t.Logf("%d made up, %d of them looks, which ran %d times", seen, len(looks), ran)
}
