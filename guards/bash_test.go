//go:build linux

package guards

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A trace is a shell whose programs only say how they were called.
type trace struct {
	dir string
	env []string
}

// calling is a program that appends its name and words to a log, each ended by a
// byte that no word holds, and says nothing.
const calling = `#!/bin/bash
printf '%s\001' "${0##*/}" "$@" $'\002' >>"$TRACE_LOG"
`

// newTrace makes programs for all names that a command of the test could run, and
// nothing else is on its path.
func newTrace(t *testing.T) *trace {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("missing bash")
	}
	if out, err := exec.Command("unshare", "-Urmnpf", "--mount-proc", "true").CombinedOutput(); err != nil {
		t.Skipf("missing unshare with user namespaces: %v %s", err, out)
	}
	tr := &trace{dir: t.TempDir()}
	bin := filepath.Join(tr.dir, "bin")
	for _, d := range []string{bin, filepath.Join(tr.dir, "repo")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range strings.Fields("ls git cat head grep touch rm sort wc find") {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(calling), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a.txt", "b.txt", "--output=x"} {
		if err := os.WriteFile(filepath.Join(tr.dir, "repo", name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tr.env = []string{"PATH=" + bin, "TRACE_LOG=" + filepath.Join(tr.dir, "log"), "LC_ALL=C"}
	return tr
}

// ran is what bash calls when it runs a command, in a sandbox.
func (tr *trace) ran(t *testing.T, command string) [][]string {
	t.Helper()
	log := filepath.Join(tr.dir, "log")
	if err := os.WriteFile(log, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	const script = `mount --bind "$1" "$1" && mount -o remount,ro,bind / || exit 99; cd "$1/repo" && PATH=$3 exec /bin/bash -c "$2" </dev/null`
	cmd := exec.CommandContext(ctx, "unshare", "-Urmnpf", "--mount-proc", "sh", "-c", script, "sh", tr.dir, command, filepath.Join(tr.dir, "bin"))
	cmd.Env, cmd.WaitDelay = append(slices.Clone(tr.env), "PATH="+os.Getenv("PATH")), time.Second
	_ = cmd.Run() // its exit code is its own affair
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var calls [][]string
	text := strings.ReplaceAll(string(data), filepath.Join(tr.dir, "repo"), ".") // as $PWD is judged
	for call := range strings.SplitSeq(text, "\002\001") {
		if call != "" {
			calls = append(calls, strings.Split(strings.TrimSuffix(call, "\001"), "\001"))
		}
	}
	return calls
}

// matchesWord reports whether a word that bash made is one that was foreseen.
func matchesWord(seen word, real string) bool {
	if seen.free {
		return true
	}
	pattern := seen.text
	if seen.glob {
		pattern = strings.NewReplacer("*", anything, "?", anything, "[", anything, "]", anything).Replace(pattern)
	}
	parts := strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune(holes, r) })
	if !strings.ContainsAny(pattern, holes) {
		return pattern == real
	}
	for _, p := range parts {
		_, rest, ok := strings.Cut(real, p)
		if !ok {
			return false
		}
		real = rest
	}
	return true
}

// foreseen reports whether one of the calls that were judged is this one.
func foreseen(judged [][]word, real []string) bool {
	return slices.ContainsFunc(judged, func(words []word) bool {
		if slices.ContainsFunc(words, func(w word) bool { return w.free || w.glob }) {
			return matchesWord(words[0], real[0]) // several words come of one
		}
		return slices.EqualFunc(words, real, matchesWord)
	})
}

// disagreements are texts that parser and shell read differently.
var disagreements = []string{"ls # note \\\ntouch x", "\"$\\\n(touch x)\"", "ls \"$\\\n(touch x)\"", "ls x\r#; touch y", "cat <<'E'#t $(touch x)\nE", "cat <<E\n$\\\n(touch x)\nE",
	"ls $'\\'; touch x #'", "echo 'a\\' ; touch x", "ls \\\ntouch x", "ls a\\\n b", "git log --outpu\\t=x", "ls {a,b}", "ls a{b,c}d", "ls '{a,b}'", "ls \"{a,b}\"", "ls $'a\\tb'",
	"ls \\*", "ls *.txt", "for f in a 'b c' *.txt; do cat \"$f\"; done", "for f in a 'b c'; do cat $f; done", "x='a b'; ls $x \"$x\"", "x=a; ls ${x}b ${x:-c} \"${x%a}\"", "ls $((1+2)) $?",
	"ls && cat a || head b; wc c | sort", "if ls; then cat a; else head b; fi", "case a in a) ls;; *) cat b;; esac", "! ls", "time ls", "(cd . && ls)", "{ ls; cat a; }", "ls 2>&1 >/dev/null", "ls &>/dev/null",
	"ls |& cat", "ls <<<a", "cat <(ls)", "ls \"a\\\"b\\$c\\\\d\\e\"", "ls a''b", "\"ls\" a", "l's' a", "\\ls a", "ls ~", "ls ~'x y'", "git -C docs status", "cd repo && git diff", "git -C /tmp log", "command ls a", "[ -n \"$(ls)\" ] && cat a",
	"find . -exec cat {} +", "ls | xargs cat", "LC_ALL=C ls a", "[[ a == a* ]] && ls", "while read -r l; do ls $l; done <a.txt", "x=$(ls); cat \"$x\""}

// What was judged is what bash runs: each program is called with words that were
// foreseen, and no other is called.
func TestBashRunsWhatWasJudged(t *testing.T) {
	tr, passed := newTrace(t), 0
	check := func(cmd string, fail func(string, ...any)) {
		var judged [][]word
		l := lookAt("", cmd, func(words []word) { judged = append(judged, slices.Clone(words)) })
		if l.why != "" {
			return
		}
		passed++
		for _, real := range tr.ran(t, l.printed) {
			if !foreseen(judged, real) {
				fail("%q, printed as %q, calls %q; judged were %q", cmd, l.printed, real, judged)
			}
		}
	}
	for _, cmd := range disagreements {
		check(cmd, t.Errorf)
	}
	seeds := passed
	pieces := rapid.SampledFrom([]string{"ls", "cat", "git log", "a", "b c", "'x y'", `"q $"`, `"a\"b"`, "$'\\t'", "\\", "\\\n", "\n", "#", "'", `"`, "$x", "$(ls)", "`", "*", "*.txt", "{a,b}", "{", "}", ",", "..",
		"&&", "||", ";", "|", "|&", "&", "(", ")", "2>&1", ">/dev/null", "&>/dev/null", "<a.txt", "<<<a", "<<E", "E", "$((1))", "${x}", "${x:-a}", "--", "-n", "!", "if ", "then ", "fi", "for f in ", "do ", "done", "\"$f\"",
		"x=a", "x=", "touch y", "rm", "~", "\t", " ", "=", "$", "[[ ", " ]]", "[ ", " ]", "\r", "é"})
	rounds := 1
	if os.Getenv("TEST_LONG") != "" {
		rounds = 40
	}
	for range rounds {
		rapid.Check(t, func(rt *rapid.T) {
			between := rapid.SampledFrom([]string{" ", " ", ""}).Draw(rt, "between")
			check(rapid.SampledFrom([]string{"ls ", "cat ", ""}).Draw(rt, "first")+strings.Join(rapid.SliceOfN(pieces, 1, 9).Draw(rt, "pieces"), between), rt.Errorf)
		})
	}
	t.Logf("%d of %d known texts and %d made up were run", seeds, len(disagreements), passed-seeds)
}
