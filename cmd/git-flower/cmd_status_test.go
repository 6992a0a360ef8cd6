package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"git-flower/gitstate"
)

func TestBareCallListsCommandsWhereThereIsNoRun(t *testing.T) {
	d := newDesk(t)
	d.expect(0)
	has(t, d.out.String(), "not in a git repository", "everyday commands", "    status ")
	d.repository()
	d.expect(0)
	has(t, d.out.String(), "no runs in this repository yet", "everyday commands")
	d.expect(0, "status", "--json")
	if d.out.Len() > 0 {
		t.Errorf("JSON of nothing: %q", d.out.String())
	}
}

func TestStatusOutsideOfARepositoryForScripts(t *testing.T) {
	d := newDesk(t)
	for _, words := range [][]string{{"status", "--json"}, {"status", "--porcelain"}, {"status", "x"}, {"log"}, {"show"}, {"fsck"}} {
		d.expect(128, words...)
		if d.out.Len() > 0 || !strings.HasPrefix(d.err.String(), "fatal: not a git repository (or any of the parent directories): .git\nhint: ") {
			t.Errorf("%q: %q, %q", words, d.out.String(), d.err.String())
		}
	}
}

func TestStatusWritesNothing(t *testing.T) {
	d := newDesk(t)
	d.repository()
	before := d.git("status", "--ignored", "--porcelain") + d.git("for-each-ref")
	d.expect(0)
	if _, err := os.Stat(filepath.Join(d.dir, ".git", "flower")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("local state was made: %v", err)
	}
	if after := d.git("status", "--ignored", "--porcelain") + d.git("for-each-ref"); after != before {
		t.Errorf("before %q, after %q", before, after)
	}
}

func TestStatusOfAll(t *testing.T) {
	d := newDesk(t)
	d.repository()
	s := d.begin("add-json", "Add --json to list", false)
	goal := s.goal()
	s.verdict(goal, 1, false)
	other := d.begin("other", "Something else", false)
	other.end("reached")
	d.begin("third", "Third", false).tell(gitstate.Record{Kind: gitstate.KindQuestion, Subject: "which one?", Body: "Which one?", Meta: gitstate.Meta{Step: "clarify"}})
	d.expect(0)
	has(t, d.out.String(), "add-json  open, work, round 1", "other     reached ", "third     waiting, clarify", "git flower resume <run>", "git flower land <run>")

	d.expect(0, "status", "--json")
	byName := map[any]map[string]any{}
	for _, one := range d.jsonOut() {
		byName[one["name"]] = one
	}
	if one := byName["add-json"]; len(byName) != 3 || one["id"] != s.run.ID() || one["tip"] != string(s.run.Tip()) || one["state"] != "open" || one["round"] != 1.0 || one["kind"] != "verdict" {
		t.Errorf("%v", byName)
	}

	d.expect(0, "status", "--porcelain")
	text := d.out.String()
	has(t, text, "run "+s.run.ID()+"\nname add-json\nref refs/flower/run/add-json\ntip "+string(s.run.Tip())+"\nstate open\nkind verdict\nstep work\nround 1\n", "waiting\n\n")
	d.expect(0, "status", "-z")
	if got := strings.ReplaceAll(d.out.String(), "\x00", "\n"); got != text {
		t.Errorf("-z prints\n%q, --porcelain\n%q", got, text)
	}
}

// Landing a rehearsal needs an option, which status knows where the script is.
func TestStatusOfRehearsalsTellsHowToLand(t *testing.T) {
	d := newDesk(t)
	d.repository()
	for _, name := range []string{"one", "two"} {
		s := d.begin(name, name, true)
		s.end("reached")
		if err := keepScript(d.env.store.Layout().RunDir(name), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	d.begin("open", "Open", false)
	d.expect(0)
	has(t, d.out.String(), `"git flower land --rehearsed <run>"`)
	d.begin("real", "Real", false).end("reached")
	d.expect(0)
	has(t, d.out.String(), `"git flower land <run>"`)
}

// Nobody is told to land what the checked-out branch has already.
func TestStatusOfWhatIsLanded(t *testing.T) {
	const offer = "git flower land"
	d := newDesk(t)
	d.repository()
	one := d.begin("one", "One", false)
	tip := one.join("one.sh", "echo\n")
	one.end("reached")
	told := func(lands bool, words ...string) {
		t.Helper()
		d.expect(0, append([]string{"status"}, words...)...)
		if strings.Contains(d.out.String(), offer) != lands || strings.Contains(d.out.String(), "'main' has ") == lands {
			t.Errorf("%q, to be landed: %v:\n%s", words, lands, d.out.String())
		}
	}
	told(true)
	told(true, "one")
	d.git("merge", "-q", "--ff-only", tip)
	told(false)
	told(false, "one")
	other := d.begin("other", "Other", false)
	other.join("other.sh", "echo\n")
	other.end("reached")
	told(true)
	told(false, "one")
	told(true, "other")
	d.git("checkout", "-q", "--detach")
	d.expect(0, "status", "one")
	has(t, d.out.String(), offer) // which says what is in the way
	d.git("checkout", "-q", "--orphan", "empty")
	d.expect(0, "status", "one")
	has(t, d.out.String(), offer)
}

func TestStatusOfOne(t *testing.T) {
	d := newDesk(t)
	d.repository()
	s := d.begin("add-json", "Add --json to list", true)
	s.verdict(s.goal(), 1, false)
	tip := s.join("list.sh", "echo\n")
	for _, name := range []string{"add-json", "add", s.run.ID()} {
		d.expect(0, "status", name)
		has(t, d.out.String(), "run add-json  "+s.run.ID(), "rehearsed", "request:  Add --json to list", "goal:     list prints JSON",
			"[+] 1. the tests pass", "[x] 2. the help names --json", "verdict:  not-yet: the help was read", "spent:    nothing (0.0042 USD at list prices)",
			"list.sh | 1 +", "git flower resume")
	}
	d.expect(0, "status", "add", "--json")
	one := d.jsonOut()[0]
	if one["join"] != tip || one["verdict"] != "not-yet" || one["spent_micro_usd"] != 4200.0 || one["rehearsed"] != true ||
		len(one["checks"].([]any)) != 2 || one["checks"].([]any)[1].(map[string]any)["state"] != "failed" {
		t.Errorf("%v", one)
	}
	d.expect(0, "status", "add", "--porcelain")
	has(t, d.out.String(), "join "+tip+"\n", "spent-micro-usd 4200\n", "rehearsed\n\n")
	d.expect(128, "status", "nothing")
	has(t, d.err.String(), "'nothing'", "hint: ")
}

func TestStatusShowsAnOpenQuestionUntilItIsAnswered(t *testing.T) {
	d := newDesk(t)
	d.repository()
	s := d.begin("ask", "Ask me", false)
	q := s.tell(gitstate.Record{Kind: gitstate.KindQuestion, Subject: "which?", Body: "Which one?"})
	s.tell(gitstate.Record{Kind: gitstate.KindNotice, Subject: "something else"})
	d.expect(0, "status", "ask")
	has(t, d.out.String(), "state:    waiting", "question: Which one?")
	s.tell(gitstate.Record{Kind: gitstate.KindAnswer, Subject: "this", Body: "This.", Meta: gitstate.Meta{From: []string{q}}})
	s.tell(gitstate.Record{Kind: gitstate.KindQuestion, Subject: "and?", Body: "And then?"})
	s.tell(gitstate.Record{Kind: gitstate.KindNotice, Subject: "something else"})
	d.expect(0, "status", "ask")
	has(t, d.out.String(), "question: And then?")
	if strings.Contains(d.out.String(), "Which one?") {
		t.Errorf("still asked:\n%s", d.out.String())
	}
}

func TestStatusTellsWhoDrives(t *testing.T) {
	d := newDesk(t)
	d.repository()
	s := d.begin("driven", "Drive", false)
	store, err := d.env.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lock, err := store.Lock(t.Context(), s.run.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	d.expect(0, "status", "--porcelain")
	has(t, d.out.String(), "state running\n", "driver "+strconv.Itoa(os.Getpid())+"\n")
	s.end("reached")
	d.expect(0, "status", "--porcelain")
	if strings.Contains(d.out.String(), "driver") {
		t.Errorf("an ended run is driven:\n%s", d.out.String())
	}
	s.amend("go on")
	file := filepath.Join(store.Layout().RunDir("driven"), "lock")
	for _, gone := range []string{"999999999\nm\n", "", "-1\n", "x"} {
		if err := os.WriteFile(file, []byte(gone), 0o600); err != nil {
			t.Fatal(err)
		}
		d.expect(0, "status", "--porcelain")
		has(t, d.out.String(), "state open\n")
	}
}

func TestStatusOfADamagedRunShowsTheOthers(t *testing.T) {
	d := newDesk(t)
	d.repository()
	d.begin("good", "Good", false)
	d.git("update-ref", "refs/flower/run/bad", "HEAD")
	d.expect(0)
	has(t, d.out.String(), "good  open", "bad   unreadable", "git flower fsck")
	d.expect(128, "show", "request", "bad")
	has(t, d.err.String(), "'bad'", "hint: ")
}

func TestModelTextIsCleanOnTheWayOut(t *testing.T) {
	d := newDesk(t)
	d.repository()
	evil := "Title \u001b]0;evil\u0007\u202e here"
	s := d.begin("evil", "x", false)
	// What a record holds is clean already; another program may write less carefully.
	tree := d.git("rev-parse", "HEAD^{tree}")
	body := "request: " + evil + "\n\nFlower-Run: 0123456789abcdef\nFlower-Kind: request\nFlower-Format: 1\n"
	d.git("update-ref", "refs/flower/run/raw", d.git("commit-tree", tree, "-m", body))
	s.end("reached")
	for _, words := range [][]string{{}, {"status", "--porcelain"}, {"log", "raw"}, {"log", "evil"}, {"show", "evil"}} {
		d.run(words...)
		if out := d.out.String() + d.err.String(); strings.ContainsAny(out, "\u001b\u0007\u202e") {
			t.Errorf("%q prints %q", words, out)
		}
	}
}

func TestRelativeDates(t *testing.T) {
	l := look{now: noon}
	for seconds, want := range map[int64]string{0: "0 seconds ago", 1: "1 second ago", 89: "89 seconds ago", 90: "2 minutes ago", 3600: "60 minutes ago",
		2 * 3600: "2 hours ago", 86400: "24 hours ago", 3 * 86400: "3 days ago", 21 * 86400: "3 weeks ago", 90 * 86400: "3 months ago", 800 * 86400: "2 years ago", -5: "in the future"} {
		if got := l.ago(noon.Unix() - seconds); got != want {
			t.Errorf("%d s: %q, want %q", seconds, got, want)
		}
	}
}
