package gitstate

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWhatAnUnreadableMessageBreaks sorts messages that cannot be read to the
// promise that they break.
func TestWhatAnUnreadableMessageBreaks(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		spoil func(string) string
		want  string
	}{
		"empty":            {func(string) string { return "" }, "P10"},
		"no trailers":      {func(string) string { return "report: x\n" }, "P10"},
		"format no number": {func(m string) string { return withTrailer(m, "Flower-Format", "one") }, "P10"},
		"format zero":      {func(m string) string { return withTrailer(m, "Flower-Format", "0") }, "P10"},
		"words below":      {func(m string) string { return m + "and words\n" }, "P9"},
		"round no number":  {func(m string) string { return withTrailer(m, "Flower-Round", "two") }, "P9"},
		"cost no number":   {func(m string) string { return withTrailer(m, "Flower-Round", "1\nFlower-Cost: much") }, "P9"},
		"code no id":       {func(m string) string { return withTrailer(m, "Flower-Round", "1\nFlower-Code: HEAD") }, "P9"},
		"options unknown":  {func(m string) string { return withTrailer(m, "Flower-Round", "1\nFlower-Options: model=x") }, "P9"},
		"twice":            {func(m string) string { return withTrailer(m, "Flower-Round", "1\nFlower-Round: 1") }, "P9"},
		"other kind":       {func(m string) string { return strings.Replace(m, "report: ", "brief: ", 1) }, "P8"},
		"subject too long": {func(m string) string { return strings.Replace(m, "report: ", "report: "+strings.Repeat("x", 80), 1) }, "P8"},
		"body not clean":   {func(m string) string { return strings.Replace(m, "## Evidence", "## Evid\x1b[0mence", 1) }, "P8"},
	} {
		dir := newRepo(t)
		s := open(t, dir, Config{NoSync: true})
		fullRun(t, s)
		spoil(t, s, dir, "x", func(k *crafted) { k.message = c.spoil(k.message) })
		problems, err := s.Fsck(t.Context(), "x")
		got := checks(problems)
		// Facts and bodies that changed are not those of the document either.
		got = slices.DeleteFunc(got, func(check string) bool { return check == "P17" })
		if err != nil || !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: %v, %v", what, problems, err)
		}
	}
}

// TestModesAndSizesBreakP22 gives files what plain files do not have.
func TestModesAndSizesBreakP22(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{NoSync: true})
	fullRun(t, s)
	good := run(t, dir, "rev-parse", "flower/run/x")
	script := runIn(t, dir, "#!/bin/sh\n", "hash-object", "-w", "--stdin")
	large := runIn(t, dir, strings.Repeat("x", MaxFile+1), "hash-object", "-w", "--stdin")
	for what, entry := range map[string]string{
		"a script that is not executable": "100644 blob " + script + "\ta.sh",
		"a link":                          "120000 blob " + script + "\ta.sh",
		"a large file":                    "100644 blob " + large + "\ta.txt",
	} {
		notes := runIn(t, dir, entry+"\n", "mktree")
		bench := runIn(t, dir, "040000 tree "+notes+"\tnotes\n", "mktree")
		tree := runIn(t, dir, run(t, dir, "ls-tree", good)+"\n040000 tree "+bench+"\tbench\n", "mktree")
		raw := run(t, dir, "cat-file", "commit", good) + "\n"
		bad := runIn(t, dir, withHeader(raw, "tree", tree), "hash-object", "-w", "-t", "commit", "--stdin")
		run(t, dir, "update-ref", "refs/flower/run/x", bad)
		problems, err := s.Fsck(t.Context(), "x")
		if err != nil || !slices.Equal(checks(problems), []string{"P22"}) {
			t.Errorf("%s: %v, %v", what, problems, err)
		}
	}
}

func withHeader(raw, name, value string) string {
	head, rest, _ := strings.Cut(raw, name+" ")
	_, rest, _ = strings.Cut(rest, "\n")
	return head + name + " " + value + "\n" + rest
}

func TestCommandsOfARefTransaction(t *testing.T) {
	a, b := ObjectID(strings.Repeat("a", 40)), ObjectID(strings.Repeat("b", 40))
	for want, u := range map[string]RefUpdate{
		"create refs/flower/x\x00" + string(a) + "\x00":                              {Name: "refs/flower/x", New: a},
		"delete refs/flower/x\x00" + string(a) + "\x00":                              {Name: "refs/flower/x", Old: a},
		"update refs/flower/x\x00" + string(a) + "\x00" + string(b) + "\x00":         {Name: "refs/flower/x", New: a, Old: b},
		"update refs/flower/x y\x00" + string(a) + "\x00" + string(b) + "\x00":       {Name: "refs/flower/x y", New: a, Old: b},
		"update refs/flower/x\ny\x00" + string(a) + "\x00" + string(b) + "\x00":      {Name: "refs/flower/x\ny", New: a, Old: b},
		"update refs/heads/master\x00" + string(a) + "\x00" + string(b) + "\x00":     {Name: "refs/heads/master", New: a, Old: b},
		"update refs/flower/short\x00" + string(a[:9]) + "\x00" + string(b) + "\x00": {Name: "refs/flower/short", New: a[:9], Old: b},
	} {
		if got := u.command(); got != want {
			t.Errorf("%q is not %q", got, want)
		}
		good := u.Name == "refs/flower/x"
		if err := u.check(); (err == nil) != good {
			t.Errorf("%+v: %v", u, err)
		}
	}
}

// TestWhatDiffersBetweenEqualRuns is the table of forms.
func TestWhatDiffersBetweenEqualRuns(t *testing.T) {
	doc := Doc{Kind: KindReport, Counter: 3, Hash: "0123456789ab", Meta: Meta{Session: "session-1", Wake: "wake-1", Call: "toolu_01ab"}}
	c := newPlainer(History{Name: "add-flag", ID: "fedcba9876543210", Docs: []Doc{doc}})
	for text, want := range map[string]string{
		"commit 1a2b3c4d5e by fedcba9876543210":         "commit <id> by <run>",
		"at 2026-03-04T05:06:07+01:00 in 1.25s":         "at <moment> in <duration>",
		"on 2026-03-04 05:06, 12 ms":                    "on <moment>, <duration>",
		"spent $1.25 of 25 USD":                         "spent <money> of <money>",
		"see reports/0003-0123456789ab.md":              "see report 1",
		"session-1 of wake-1 called toolu_01ab":         "<session> of <wake> called <call>",
		"in /home/ada/.local/state/x/tree/7/list.go:12": "in <path>",
		"git log flower/run/add-flag":                   "git log flower/run/<name>",
		"3 of 12 tests failed, exit 1":                  "3 of 12 tests failed, exit 1",
		"facade added; decade 1990; cafe":               "facade added; decade 1990; cafe",
		"list.go:12: want 5 got 6":                      "list.go:12: want 5 got 6",
		"目标未达成：缺少测试":                                    "目标未达成：缺少测试",
	} {
		if got := c.text(text); got != want {
			t.Errorf("'%s' becomes '%s', not '%s'", text, got, want)
		}
	}
}

// TestAFailedAppendLeavesTheHandleAsItWas takes the objects folder away.
func TestAFailedAppendLeavesTheHandleAsItWas(t *testing.T) {
	t.Parallel()
	for _, plumbing := range []bool{false, true} {
		dir := newRepo(t)
		s := open(t, dir, Config{})
		if plumbing {
			s.writer = gitWriter{git: s.plain, layout: s.layout}
		}
		r := create(t, s, "x")
		before := r.History()
		objects := filepath.Join(dir, ".git", "objects")
		if err := errors.Join(os.Rename(objects, objects+"-away"), os.WriteFile(objects, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Append(t.Context(), Record{Kind: KindReport, Subject: "x", Body: "x"}); err == nil || errors.Is(err, ErrConflict) {
			t.Errorf("%v", err)
		}
		if err := errors.Join(os.Remove(objects), os.Rename(objects+"-away", objects)); err != nil {
			t.Fatal(err)
		}
		if r.Tip() != before.Tip || len(r.History().Docs) != len(before.Docs) {
			t.Error("the handle has moved")
		}
		add(t, r, Record{Kind: KindReport, Subject: "x", Body: "x"})
		if problems, err := s.Fsck(t.Context(), "x"); err != nil || len(problems) > 0 {
			t.Errorf("%v, %v", problems, err)
		}
		if left, err := filepath.Glob(filepath.Join(dir, ".git", "flower", "objects-*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// TestARunThatWentOrBecameAnotherIsNotTheSame deletes and replaces one under a
// handle.
func TestARunThatWentOrBecameAnotherIsNotTheSame(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "x")
	other := create(t, s, "y")
	run(t, dir, "update-ref", "refs/flower/run/x", string(other.Tip()))
	if err := r.Reload(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Errorf("another run: %v", err)
	}
	run(t, dir, "update-ref", "-d", "refs/flower/run/x")
	if err := r.Reload(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Errorf("no run: %v", err)
	}
	if _, err := r.Append(t.Context(), Record{Kind: KindNotice, Subject: "x"}); !errors.Is(err, ErrConflict) {
		t.Errorf("append: %v", err)
	}
}

// TestCanonicalSaysWhenItCannotWrite gives it a writer that fails.
func TestCanonicalSaysWhenItCannotWrite(t *testing.T) {
	t.Parallel()
	s := open(t, newRepo(t), Config{})
	create(t, s, "x")
	full := errors.New("full")
	if err := s.Canonical(t.Context(), "x", failing{full}); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	if err := s.Canonical(t.Context(), "y", &bytes.Buffer{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
