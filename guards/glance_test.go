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
	Cmd      string
	Glance   bool
	Why      string
	Disputed bool
}

func corpus(t testing.TB) []row {
	t.Helper()
	data, err := os.ReadFile("testdata/shell.jsonl")
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
	if len(rows) < 800 {
		t.Fatalf("%d rows only", len(rows))
	}
	return rows
}

// No row that does more than look may pass. How many looks pass is printed: they
// cost a model a detour, nothing else.
func TestCorpus(t *testing.T) {
	looks, pass := 0, 0
	for _, r := range corpus(t) {
		printed, ok, reason := guards.Glance(r.Cmd)
		switch {
		case ok && !r.Glance:
			t.Errorf("%q passes as %q: %s", r.Cmd, printed, r.Why)
		case ok == (reason != "") || ok == (printed == ""):
			t.Errorf("%q: %q, %v, %q", r.Cmd, printed, ok, reason)
		case r.Glance && !ok:
			t.Logf("refused: %q: %.100s", r.Cmd, reason)
		}
		if r.Glance && !r.Disputed {
			looks++
			if ok {
				pass++
			}
		}
	}
	t.Logf("%d of %d undisputed looks pass", pass, looks)
	if pass < looks/2 {
		t.Errorf("only %d of %d undisputed looks pass", pass, looks)
	}
}

// A directory of ours that the corpus, which is about text, does not know.
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
		"git config --get set":                  "",
		"git config --get user.name":            "reads",
		"git config user.name me --get":         "",
		"cd sub && ls":                          "below",
		"cd sub && git status":                  "", // may hold a repository with a configuration of its own
		"cd .. && ls":                           "",
		"cd / && cat proc/self/environ":         "",
		"cat /proc/self/environ":                "",
		"cat ../../../../../proc/1/environ":     "",
		"head -c 10 /dev/zero":                  "",
		"cat .env":                              "",
		"cat sub/.ENV.local":                    "",
		"cat .env.example":                      "holds no secret",
		"cat ~root/.ssh/id_rsa":                 "",
		"ls ~":                                  "",
		"command touch x -v":                    "",
		"command -v touch":                      "tells where it is",
		"ps aux":                                "looks",
		"ps aux e":                              "", // with the environment of every process
		"ls *":                                  "no option of ls does harm",
		"sort *":                                "",
		"sort ./*":                              "cannot be an option",
		"[ls":                                   "",
		"ls '*'; echo \"a $ b\"":                "",
		"grep \"a$\" x":                         "a dollar at the end",
		"echo done":                             "",
		"echo a; ls":                            "one look is enough",
		"ls " + strings.Repeat("x", 17<<10):     "",
		"ls &>/dev/null":                        "", // starts something in the background in a plain sh
		"ls |& cat":                             "",
		"ls \u200b":                             "",
		"ls\u00a0-l":                            "",
		"cat 日本語.txt":                           "a name like any other",
		"diff -l a b":                           "", // runs pr
		"git --exec-path=x status":              "",
		"git -C sub status":                     "",
		"GIT status":                            "",
		"./ls":                                  "",
		"git diff --no-index .env /dev/null":    "",
	} {
		_, ok, reason := guards.Glance(cmd)
		if ok != (why != "") {
			t.Errorf("%q: %v (%s), want it because it %s", cmd, ok, reason, why)
		}
	}
}

// What is run is what was judged: printing changes no meaning, and the printed
// text passes again as itself.
func TestPrintedTextIsAFixedPoint(t *testing.T) {
	words := rapid.SampledFrom([]string{"ls", "git", "status", "log", "cat", "a.txt", "'x y'", `"q $"`, "&&", "||", ";", "|", "\n", "(", ")", "{", "}",
		"2>&1", ">/dev/null", ">", "x", "#", "\\\n", "\\", "$(", "`", "--", "-1", "--output=x", "*", "!", "&", "<<E", "E", "\t", "echo", "if", "then", "fi", "$x", "''"})
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

func FuzzGlance(f *testing.F) {
	for i, r := range corpus(f) {
		if i%10 == 0 {
			f.Add(r.Cmd)
		}
	}
	f.Fuzz(func(t *testing.T, cmd string) {
		printed, ok, _ := guards.Glance(cmd)
		if !ok {
			return
		}
		for _, sign := range []string{"`", "$(", "<(", "\r", "\x00", "&\n", "<<", "touch"} {
			if strings.Contains(printed, sign) && !strings.ContainsAny(printed, `'"`) {
				t.Errorf("%q passes as %q", cmd, printed)
			}
		}
		if again, ok, _ := guards.Glance(printed); !ok || again != printed {
			t.Errorf("%q was printed as %q, which became %q", cmd, printed, again)
		}
	})
}

func BenchmarkGlance(b *testing.B) {
	for b.Loop() {
		guards.Glance("git status -s && echo --- && git log --oneline -5 | head -3")
	}
}
