package gitstate

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestNamesFromRequests(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for request, want := range map[string]string{
		"Add a --json flag to the list command": "add-json-flag",
		"Fix the flaky login test":              "fix-flaky-login",
		"给 list 命令加上 --json 选项":                 "list-json",
		"请修复登录":                                 "2026-03-04-0506",
		"":                                      "2026-03-04-0506",
		"  \n\n  Please, could you make it faster?": "faster",
		"1234 5678":                          "2026-03-04-0506",
		"../../etc/passwd":                   "etc-passwd",
		"nul":                                "2026-03-04-0506",
		"add x y z w v u":                    "add-x-y-z-w-v",
		strings.Repeat("extraordinarily", 9): "2026-03-04-0506",
		strings.Repeat("A", 20) + " " + strings.Repeat("b", 20) + " " + strings.Repeat("c", 20): strings.Repeat("a", 20) + "-" + strings.Repeat("b", 20),
	} {
		if got := Slug(request, at); got != want {
			t.Errorf("'%s' becomes '%s', not '%s'", request, got, want)
		} else if err := ValidName(got); err != nil {
			t.Error(err)
		}
	}
}

func TestWhatIsAName(t *testing.T) {
	for _, good := range []string{"a", "7", "add-json-flag", "a--b", strings.Repeat("x", 48), "console", "com10"} {
		if err := ValidName(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "-", "-a", "a-", "A", "a b", "a/b", "a.b", "..", "a.lock", "@{u}", "ä", "a\n", "con", "com1", strings.Repeat("x", 49)} {
		if err := ValidName(bad); !errors.Is(err, ErrName) {
			t.Errorf("'%s': %v", bad, err)
		}
	}
	if got := numbered(strings.Repeat("x", 45)+"-yz", 12); got != strings.Repeat("x", 45)+"-12" || ValidName(got) != nil {
		t.Errorf("'%s'", got)
	}
}

func TestATakenNameIsNumbered(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	for _, want := range []string{"same", "same-2", "same-3"} {
		if r := create(t, s, "same"); r.Name() != want {
			t.Errorf("the name is '%s', not '%s'", r.Name(), want)
		}
	}
	run(t, dir, "update-ref", "refs/flower/work/left/coder-1", "HEAD") // of a run that is gone
	if r := create(t, s, "left"); r.Name() != "left-2" {
		t.Errorf("the name is '%s'", r.Name())
	}
	if _, err := s.Create(t.Context(), "No Name", Record{Kind: KindRequest}, ""); !errors.Is(err, ErrName) {
		t.Error(err)
	}
	if _, err := s.Create(t.Context(), "x", Record{Kind: KindBrief, Subject: "x"}, ""); err == nil {
		t.Error("a run began with a brief")
	}
}

func TestARunIsFoundByNamePrefixAndID(t *testing.T) {
	t.Parallel()
	s := open(t, newRepo(t), Config{})
	a, b := create(t, s, "add-flag"), create(t, s, "add-flag-2")
	for name, want := range map[string]*Run{"add-flag": a, "add-flag-2": b, "add-flag-": b, a.ID(): a, b.ID(): b} {
		r, err := s.Run(t.Context(), name)
		if err != nil || r.ID() != want.ID() {
			t.Errorf("'%s': %v", name, err)
		}
	}
	for name, want := range map[string]error{"add": ErrAmbiguous, "": ErrNotFound, "x": ErrNotFound, "--all": ErrNotFound, "add-flag*": ErrNotFound, strings.Repeat("0", 16): ErrNotFound} {
		if _, err := s.Run(t.Context(), name); !errors.Is(err, want) {
			t.Errorf("'%s': %v", name, err)
		}
	}
}

func TestTheComputedFilesFollowTheDocuments(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	show := func(path string) string { return run(t, dir, "show", "flower/run/x:"+path) }
	add(t, r, Record{Kind: KindBrief, Subject: "one", Body: "one"})
	first, _ := r.History().Current(KindBrief)
	add(t, r, Record{Kind: KindBrief, Subject: "two", Body: "two", Meta: Meta{Replaces: []string{first.Name()}}})
	add(t, r, Record{Kind: KindGoal, Subject: "goal", Body: "a goal"})
	if show("brief.md") != "two" || show("goal.md") != "a goal" {
		t.Errorf("'%s', '%s'", show("brief.md"), show("goal.md"))
	}
	for _, session := range []string{"s1", "s2", "s1", "s3"} {
		add(t, r, Record{Kind: KindSession, Subject: "begins", Meta: Meta{Step: "work", Session: session, Harness: "messages"}})
	}
	add(t, r, Record{Kind: KindSession, Subject: "begins", Meta: Meta{Step: "work", Worker: "coder-1", Session: "c1", Machine: "elsewhere"}})
	want := "{\n  \"work\": {\n    \"session\": \"s3\",\n    \"harness\": \"messages\",\n    \"retired\": [\n      \"s2\",\n      \"s1\"\n    ]\n  }\n}"
	if got := show("lineage/" + s.Machine() + ".json"); got != want {
		t.Errorf("the lineage is %s", got)
	}
	if l := r.History().Lineage("elsewhere"); l["coder-1"].Session != "c1" || len(l) != 1 {
		t.Errorf("%+v", l)
	}
	add(t, r, Record{Kind: KindNotice, Subject: "x", Files: map[string][]byte{"bench/scripts/run.sh": []byte("#!/bin/sh\n"), "bench/notes/n.md": []byte("n\n"), "ledger/w1.json": []byte(`[{"cost_micro_usd":7}]`)}})
	if got := run(t, dir, "ls-tree", "-r", "flower/run/x", "--", "bench/"); !strings.HasPrefix(got, "100644") || !strings.Contains(got, "100755 blob") {
		t.Errorf("the bench is %s", got)
	}
	add(t, r, Record{Kind: KindNotice, Subject: "x", Files: map[string][]byte{"bench/scripts/run.sh": nil, "bench/notes/n.md": nil, "ledger/w1.json": nil}})
	if got := run(t, dir, "ls-tree", "-r", "flower/run/x", "--", "bench/", "ledger/"); got != "" || r.History().Spent() != 0 {
		t.Errorf("still there: %s", got)
	}
	if problems, err := s.Fsck(t.Context(), "x"); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

func TestNoRecordIsOlderThanItsParent(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	s := open(t, newRepo(t), Config{Now: func() time.Time { return now }})
	r := create(t, s, "x")
	now = now.Add(-24 * time.Hour) // somebody set the clock back
	e := add(t, r, Record{Kind: KindNotice, Subject: "x"})
	if first := entries(t, s, "x")[1]; e.Unix < first.Unix {
		t.Errorf("%d is before %d", e.Unix, first.Unix)
	}
}

func TestAHistoryBelongsToItsCaller(t *testing.T) {
	t.Parallel()
	s := open(t, newRepo(t), Config{})
	r := create(t, s, "x")
	h := r.History()
	h.Docs[0].Body = "changed"
	if h.Docs = append(h.Docs[:0], Doc{}); r.History().Docs[0].Body == "changed" || r.History().Docs[0].Kind == "" {
		t.Error("the handle's own history changed")
	}
	before := r.History()
	add(t, r, Record{Kind: KindNotice, Subject: "x"})
	if len(before.Docs) != 1 || len(r.History().Docs) != 2 {
		t.Error("an earlier history changed")
	}
}

func TestLogEndsWhenItsCallerSaysSo(t *testing.T) {
	t.Parallel()
	s := open(t, newRepo(t), Config{NoSync: true})
	r := create(t, s, "x")
	for range 20 {
		add(t, r, Record{Kind: KindNotice, Subject: "x"})
	}
	enough := errors.New("enough")
	n := 0
	err := s.Log(t.Context(), "x", func(Entry) error {
		if n++; n == 3 {
			return enough
		}
		return nil
	})
	if err != enough || n != 3 {
		t.Errorf("%v after %d", err, n)
	}
	if err := s.Log(t.Context(), "y", func(Entry) error { return nil }); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
}

func TestShowAndResolve(t *testing.T) {
	t.Parallel()
	s := open(t, newRepo(t), Config{})
	r := create(t, s, "x")
	doc := r.History().Docs[0]
	data, err := s.Show(t.Context(), "flower/run/x", doc.Name())
	if err != nil || !bytes.Equal(data, doc.print()) {
		t.Errorf("%v\n%s", err, data)
	}
	if _, err := s.Show(t.Context(), "flower/run/x", "nothing.md"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	for _, rev := range []string{"nothing", "--all", "-x", "", "HEAD^{tree}", "a b"} {
		if id, err := s.Resolve(t.Context(), rev); !errors.Is(err, ErrNotFound) {
			t.Errorf("'%s': '%s', %v", rev, id, err)
		}
	}
	if _, _, err := s.Ref(t.Context(), "refs/heads/master"); err == nil {
		t.Error("a ref that is not ours is read")
	}
}

// TestEqualRunsHaveEqualCanonicalHistories plays the same events twice, once
// interrupted, at another time and price.
func TestEqualRunsHaveEqualCanonicalHistories(t *testing.T) {
	t.Parallel()
	play := func(verdict string, interrupted bool) string {
		now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		wake, session, cost := "wake-one", "session-one", MicroUSD(1000)
		if interrupted {
			now, wake, session, cost = now.Add(77*time.Hour), "wake-two", "session-two", 2000
		}
		dir := newRepo(t)
		if interrupted {
			run(t, dir, "commit", "-q", "--allow-empty", "-m", "other code")
		}
		s := open(t, dir, Config{Now: func() time.Time { return now }})
		r := create(t, s, "x")
		if interrupted {
			add(t, r, Record{Kind: KindNotice, Subject: "went on after an interruption"})
			add(t, r, Record{Kind: KindSession, Subject: "begins", Meta: Meta{Session: "session-lost", Step: "work"}})
		}
		add(t, r, Record{Kind: KindSession, Subject: "begins", Meta: Meta{Session: session, Step: "work", Wake: wake}})
		add(t, r, Record{Kind: KindBrief, Subject: "b", Body: "the brief", Meta: Meta{Wake: wake, Cost: cost}})
		brief, _ := r.History().Current(KindBrief)
		begun, _ := r.History().Current(KindSession)
		code := head(t, s)
		add(t, r, Record{Kind: KindVerdict, Subject: "v", Meta: Meta{State: "not-yet", Round: 1, Code: code, From: []string{brief.Name(), begun.Name()}},
			Body: verdict + "\ncommit " + code.Short() + " by " + session + " at " + now.Format(time.RFC3339) + " for 0.0" + string(rune('1'+cost/1000)) + " USD, after " + cost.printed()[2:] + "s"})
		var out bytes.Buffer
		if err := s.Canonical(t.Context(), "x", &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	a, b := play("two tests failed", false), play("two tests failed", true)
	if a != b {
		t.Errorf("they differ:\n%s\n%s", a, b)
	}
	if !strings.Contains(a, "verdict 1 round=1 state=not-yet from=brief 1 session\n") || !strings.Contains(a, "two tests failed") {
		t.Errorf("it tells too little:\n%s", a)
	}
	if c := play("three tests failed", false); c == a {
		t.Error("a different verdict makes no difference")
	}
}
