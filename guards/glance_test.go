package guards_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-flower/guards"
)

type row struct {
	Cmd       string
	Glance    bool
	Why       string
	Corrected bool // our copy says otherwise than where it comes from, and why
}

// corpora are rows of what models and attackers write, with the right answer.
var corpora = map[string]int{"shell.jsonl": 862, "ephemeral.jsonl": 175}

func corpus(t testing.TB, name string) []row {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if len(rows) != corpora[name] {
		t.Fatalf("%d rows in %s", len(rows), name)
	}
	return rows
}

// allowed are the commands of the corpora that are looks.
func allowed(t testing.TB) []string {
	var cmds []string
	for name := range corpora {
		for _, r := range corpus(t, name) {
			if r.Glance {
				cmds = append(cmds, r.Cmd)
			}
		}
	}
	return cmds
}

func TestCorpora(t *testing.T) {
	for name := range corpora {
		looks, corrected, rows := 0, 0, corpus(t, name)
		for _, r := range rows {
			printed, ok, reason := guards.Glance(r.Cmd)
			switch {
			case ok != r.Glance:
				t.Errorf("%q: %v, want %v: %s\n%s%s", r.Cmd, ok, r.Glance, r.Why, printed, reason)
			case ok == (reason != "") || ok == (printed == ""):
				t.Errorf("%q: %q, %v, %q", r.Cmd, printed, ok, reason)
			}
			if r.Glance {
				looks++
			}
			if r.Corrected {
				corrected++
			}
		}
		t.Logf("%s: %d looks and %d others, %d rows corrected", name, looks, len(rows)-looks, corrected)
	}
}

// A directory of ours: what the corpora do not know.
func TestGlances(t *testing.T) {
	for cmd, why := range map[string]string{
		"ls":                                    "looks",
		"git status\n\n\nls -l":                 "a newline separates",
		"git log --author '--output=x' --all":   "", // could be an option to a git that reads it otherwise
		"git log --author='--output=x' -3":      "attached, it cannot",
		"grep -rn -e --include=x . | head -5":   "grep has no option that does harm",
		"(git status; { ls; }) 2>&1 >/dev/null": "groups of looks",
		"sed -n '1,$p' a":                       "prints lines",
		"git stash list":                        "looks",
		"git stash":                             "",
		"git remote":                            "lists",
		"git notes":                             "",
		"git branch --abbrev 7":                 "", // makes a branch called 7
		"git branch 7 --list":                   "lists",
		"git branch --sort --list new":          "",
		"git branch --merged":                   "the value may be left out at the end",
		"git branch --merged -D":                "",
		"git config --get set":                  "",
		"git config --get user.name":            "reads",
		"git config user.name me --get":         "",
		"cd / && cat proc/self/environ":         "",
		"cd /proc/self && cat environ":          "",
		"cat /proc/self/environ":                "",
		"cat ../../../../../proc/1/environ":     "",
		"cat /proc/cpuinfo":                     "says what the machine is",
		"head -c 10 /dev/zero":                  "",
		"cat /dev/stdout":                       "",
		"ls ~":                                  "lists",
		"for i in {1..99}; do for j in {1..99}; do ls {1..99} {1..99}; done; done": "", // would take seconds to judge
		"ls ~'x y'":                         "",
		"ls ~root":                          "",
		"command touch x -v":                "",
		"command -v touch":                  "tells where it is",
		"ps aux":                            "looks",
		"ps aux e":                          "", // with the environment of every process
		"ls *":                              "no option of ls does harm",
		"sort *":                            "",
		"sort ./*":                          "cannot be an option",
		"sort -- *":                         "cannot be an option",
		"[ls":                               "",
		"ls '*'; echo \"a $ b\"":            "a dollar before a blank is a dollar",
		"grep \"a$\" x":                     "a dollar at the end",
		"grep -E \"^a$|^b$\" x":             "a dollar before a bar",
		"echo done":                         "",
		"echo a; ls":                        "one look is enough",
		"echo *.go":                         "names files",
		"ls " + strings.Repeat("x", 17<<10): "",
		"ls " + strings.Repeat("$(ls ", 70) + strings.Repeat(")", 70): "",
		"ls &>/dev/null":       "is written as >/dev/null 2>&1",
		"ls |& cat":            "is written as 2>&1 |",
		"ls &>x":               "",
		"ls \u200b":            "",
		"ls\u00a0-l":           "",
		"cat 日本語.txt":          "a name like any other",
		"diff -l a b":          "", // runs pr
		"git --exec-path=x st": "",
		"GIT status":           "",
		"./ls":                 "",
		"/usr/bin/git status":  "",
		"cat <<E\nx\nE":        "",

		"for f in a b; do git log -1 -- \"$f\"; done":                                  "behind -- nothing is an option",
		"for f in *; do git log -1 \"$f\"; done":                                       "",
		"for f in ./*; do git log -1 \"$f\"; done":                                     "begins with ./",
		"for f in *.go; do tail -3 \"$f\"; done":                                       "",
		"for f in *.go; do wc -l $f; done":                                             "no option of wc does harm",
		"for i in 1 2; do for j in a --output=b; do git log -1 $j; done; done":         "",
		"x=main; while read -r l; do git log \"$x\"; x=$l; done":                       "",
		"x=m; y=m; z=m; while read -r l; do git log \"$z\"; z=$y; y=$x; x=$l; done <f": "",
		"for i in 1 2; do git log \"$x\"; x=main; done":                                "",
		"x=main; for x in a --output=b; do ls; done; git log \"$x\"":                   "",
		"if ls; then x=--output=b; fi; git log \"$x\"":                                 "",
		"x=main; ls && x=--output=b; git log \"$x\"":                                   "",
		"x=main; (x=--output=b; ls); git log \"$x\"":                                   "a subshell keeps it to itself",
		"x=main; ls | read x; git log \"$x\"":                                          "so does a pipe, or it cannot begin with a dash",
		"PATH=/tmp; ls":                                                                "",
		"path=/tmp; ls":                                                                "",
		"LESSOPEN=x; less a | cat":                                                     "",
		"while true; do ls; done":                                                      "",
		"while read x <f; do ls; done":                                                 "",
		"while ls | read x; do ls; done":                                               "",
		"until ls; do ls; done":                                                        "",
		"for ((;;)); do ls; done":                                                      "",
		"for f; do ls; done":                                                           "",
		"select f in a b; do ls; done":                                                 "",
		"[[ -f a || touch ]]":                                                          "", // a command to a shell without [[
		"[[ a =~ b|touch ]]; ls":                                                       "",
		"[[ -f a ]] || [[ -d b ]] && ls":                                               "joined outside",
		"[ -n \"$x\" ] && ls":                                                          "an operand may be anything",
		"[ \"$x\" 'a[$(touch p)]' ] ; ls":                                              "",
		"[ a -a -v ]; ls":                                                              "",
		"$'\\'; touch x #'":                                                            "",
		"ls $'\\'; touch x #'":                                                         "",
		"ls a{b,c}d {1..3}":                                                            "braces of plain words",
		"ls {-la,x}":                                                                   "",
		"ls {1..999}":                                                                  "",
		"echo \"${x@P}\"; ls":                                                          "",
		"echo \"${x:-$(ls)}\"; ls":                                                     "",
		"echo \"${!x}\"; ls":                                                           "",
		"echo `ls`":                                                                    "",
		"echo $(ls)":                                                                   "",
		"time ls":                                                                      "looks",
		"bash -c 'git status && ls'":                                                   "a text of looks",
		"bash -c 'git status; touch x'":                                                "",
		"bash -c \"$x\"":                                                               "",
		"timeout 5 bash -c 'ls'":                                                       "looks",
		"set -euo pipefail; git status":                                                "stops at a failure",
		"set -x; ls":                                                                   "",
		"sleep 1000; ls":                                                               "",
		"cat $(git ls-files)":                                                          "no option of cat does harm",
		"sort $(git ls-files)":                                                         "",
		"git show $(git rev-parse HEAD)":                                               "a name of an object",
		"git show $(git rev-parse \"$x\")":                                             "",
		"git show $(git rev-parse -- --output=x)":                                      "",
		"git show $(git rev-parse --symbolic-full-name HEAD)":                          "",
		"ls | xargs -I{} cat {}":                                                       "looks",
		"ls | xargs sort":                                                              "",
		"ls | xargs":                                                                   "",
		"find . -exec cat {} +":                                                        "looks",
		"find . -exec sort {} \\;":                                                     "a found name begins with ./",
		"find . -exec bash -n {} \\;":                                                  "",
		"find \"$x\" -name a":                                                          "",
		"for d in */; do find \"$d\" -type f | wc -l; done":                            "no predicate holds a slash",
		"sed -n '/[/]/w x' a":                                                          "",
		"sed 's/[/]/w x/' a":                                                           "", // where it ends depends on the sed
		"sed 's/a/b/;s/c/d/' a":                                                        "edits what it prints",
		"sed '/a/{p;d}' a":                                                             "prints",
		"sed 'y/abc/xyz/' a":                                                           "edits what it prints",
		"sed '$!N;P;D' a":                                                              "prints",
		"sed '1r /etc/passwd' a":                                                       "",
		"sed 's/a/b/\nw x' a":                                                          "",
		"awk '/a/{n++} END{print n}' a":                                                "counts",
		"awk '{print a,\n b > \"x\"}' a":                                               "",
		"awk '{print (a,\n b) > \"x\"}' a":                                             "",
		"awk '{print a[b>c]}' a":                                                       "",
		"awk '{x = a / b \"|\" c / d; print x}' a":                                     "divides",
		"awk '{if (x) /\"/; print > \"y\"; /\"/}' a":                                   "",
		"awk '/[/]/ {print}' a":                                                        "", // where it ends depends on the awk
		"awk 'BEGIN{getline x < \"/inet/tcp/0/h/1\"}'":                                 "",
		"awk '{getline a[1] < \"/inet/tcp/0/h/1\"}' a":                                 "",
		"awk '{print ENVIRON[\"HOME\"]}'":                                              "reads",
		"awk 'function f(){print 1 > \"x\"} {f()}' a":                                  "",
		"awk \"{print \\$1}\" a":                                                       "a dollar that is quoted",

		"cd sub && git status":                                      "a folder of the checkout, with its programs switched off",
		"git -C sub diff":                                           "a folder of the checkout",
		"cd .. && ls":                                               "looks",
		"cd .. && git status":                                       "",
		"cd .. && git log -3":                                       "reads what is recorded",
		"git -C /tmp/x log -p -1":                                   "reads what is recorded",
		"git -C /tmp/x status":                                      "",
		"git -C /tmp/x diff":                                        "",
		"git -C .git/flower/tree status":                            "",
		"git -C \"$x\" status":                                      "",
		"git -C \"$(git rev-parse --show-toplevel)\" status":        "the checkout itself",
		"cd \"$(git rev-parse --show-toplevel)\" && git status":     "the checkout itself",
		"for d in */; do (cd \"$d\" && git log -1 --oneline); done": "folders of the checkout",
		"git log --format=%G?":                                      "",
		"git log --format=\"$x\"":                                   "",
		"git -c core.pager=cat log":                                 "no pager",
		"git -c core.pager=x log":                                   "",
		"git -c core.fsmonitor log":                                 "",
		"git -c color.ui=always log":                                "colour",
		"git -c safe.directory=* status":                            "",
		"git --git-dir=x status":                                    "",
		"go version":                                                "looks",
		"go env -w A=b":                                             "",
		"rg -n foo | head":                                          "looks",
		"ip -b file":                                                "",
		"xxd a -p":                                                  "", // so does this
		"uniq a -c":                                                 "", // where options come first, it writes -c
		"gzip a -c":                                                 "", // likewise replaces the file
		"unzip a.zip -l":                                            "", // likewise unpacks it
		"xxd -l 9 a":                                                "looks",
		"git add . -n":                                              "git finds its options anywhere",
		"xxd a --":                                                  "", // writes a file of that name
		"base64 -o x y":                                             "",
	} {
		_, ok, reason := guards.Glance(cmd)
		if ok != (why != "") {
			t.Errorf("%q: %v (%s), want it because it %s", cmd, ok, reason, why)
		}
	}
}

// What a look is made safer with is in the text that is run.
func TestWhatIsRunIsShown(t *testing.T) {
	const quiet = "-c core.fsmonitor=false -c safe.bareRepository=explicit -c log.showSignature=false"
	for cmd, want := range map[string]string{
		"git -C docs status":        `git --git-dir="$PWD/.git" --work-tree="$PWD" -C docs status`,
		"cd docs && git diff":       `cd docs && git --git-dir="$OLDPWD/.git" --work-tree="$OLDPWD" diff`,
		"cd docs && git log -p":     "cd docs && GIT_ALLOW_PROTOCOL=none git " + quiet + " log --no-ext-diff --no-textconv -p",
		"git -C /tmp/x log":         "GIT_ALLOW_PROTOCOL=none git -C /tmp/x " + quiet + " log --no-ext-diff --no-textconv",
		"ls &>/dev/null":            "ls >/dev/null 2>&1",
		"ls 2>/dev/null |& cat":     "ls 2>/dev/null 2>&1 | cat",
		"ls >/dev/stderr":           "ls >&2",
		"go version":                "GOTOOLCHAIN=local go version",
		"timeout 9 git -C a status": `timeout 9 git --git-dir="$PWD/.git" --work-tree="$PWD" -C a status`,
	} {
		if printed, _, reason := guards.Glance(cmd); printed != want {
			t.Errorf("%q: %q, want %q (%s)", cmd, printed, want, reason)
		}
	}
	if printed, ok, _ := guards.GlanceIn("/repo", "git -C /repo status; cd /repo/docs; git diff"); !ok || printed != "git -C /repo status\ncd /repo/docs\ngit --git-dir='/repo/.git' --work-tree='/repo' diff" {
		t.Errorf("the checkout by its full name: %v, %q", ok, printed)
	}
	if _, ok, _ := guards.GlanceIn("/repo", "git -C /repository status"); ok {
		t.Error("another repository passes for the checkout")
	}
}

// What is run is what was judged: printing changes no meaning, and the printed
// text passes again as itself.
func TestPrintedTextIsAFixedPoint(t *testing.T) {
	for _, cmd := range allowed(t) {
		printed, _, _ := guards.Glance(cmd)
		if again, ok, reason := guards.Glance(printed); !ok || again != printed {
			t.Errorf("%q was printed as %q, which became %q (%s)", cmd, printed, again, reason)
		}
	}
	words := rapid.SampledFrom([]string{"ls", "git", "status", "log", "cat", "a.txt", "'x y'", `"q $"`, "&&", "||", ";", "|", "\n", "(", ")", "{", "}", "-C", "cd", "|&",
		"2>&1", ">/dev/null", "&>/dev/null", ">", "x", "#", "\\\n", "\\", "$(", "`", "--", "-1", "--output=x", "*", "!", "&", "<<E", "E", "\t", "echo", "if", "then", "fi", "$x", "''"})
	rapid.Check(t, func(rt *rapid.T) {
		cmd := strings.Join(rapid.SliceOfN(words, 1, 12).Draw(rt, "words"), rapid.SampledFrom([]string{" ", ""}).Draw(rt, "between"))
		printed, ok, _ := guards.Glance(cmd)
		if !ok {
			return
		}
		again, ok, reason := guards.Glance(printed)
		if !ok || again != printed {
			rt.Errorf("%q was printed as %q, which became %q (%s)", cmd, printed, again, reason)
		}
	})
}

// A coordinator may run what expires, and what expires is what it may run; what
// may hold secrets is another wall's business, and never runs.
func TestWhatMayRunIsWhatExpires(t *testing.T) {
	agree, secret := 0, 0
	for name := range corpora {
		for _, r := range corpus(t, name) {
			input, err := json.Marshal(map[string]string{"command": r.Cmd})
			if err != nil {
				t.Fatal(err)
			}
			c := call("coordinator", "Bash", string(input))
			d, expires := coordinator.Decide(c), guards.Expires(c)
			switch {
			case d.Allow && !expires, expires != r.Glance:
				t.Errorf("%q: may run %v, expires %v", r.Cmd, d.Allow, expires)
			case expires && !d.Allow:
				secret++
				if !strings.Contains(d.Reason, "secrets") {
					t.Errorf("%q is refused though it only looks: %s", r.Cmd, d.Reason)
				}
			default:
				agree++
			}
			if d.Allow {
				c.Input = d.Input
				if !guards.Expires(c) {
					t.Errorf("%q does not expire as %s", r.Cmd, d.Input)
				}
			}
		}
	}
	t.Logf("%d calls run if and only if they expire, %d are refused for secrets", agree, secret)
}

func BenchmarkGlance(b *testing.B) {
	for name, cmd := range map[string]string{
		"chain": "git status -s && echo --- && git log --oneline -5 | head -3",
		"one":   "git status",
		"loop":  "for f in *.go; do echo \"== $f\"; head -5 \"$f\"; done",
		"far":   "git -C docs log -p -1",
		"no":    "git status && rm -rf x",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				guards.Glance(cmd)
			}
		})
	}
}
