package gitstate

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"git-flower/gitstate/gitcmd"
)

func TestFactsAreWrittenInTheirOrder(t *testing.T) {
	code := ObjectID(strings.Repeat("ab", 20))
	m := Meta{Step: "work", Label: "work#round2", Round: 2, Worker: "coder-1", Session: "s1", Machine: "m1", Harness: "messages",
		Model: "some-model", Code: code, Tip: code, Call: "toolu_1", Index: 3, State: "ok", Cost: 1_234_567, Wake: "w1",
		From: []string{"briefs/0002-0123456789ab.md", "goals/0003-0123456789ab.md"}, Replaces: []string{"briefs/0001-0123456789ab.md"},
		Time: "2026-03-04T05:06:07+01:00", Rehearsed: true, Options: []Option{{"rounds", "5"}, {"budget", "none"}}, Extra: []Extra{{"colour", "blue"}}}
	want := []pair{{"step", "work"}, {"label", "work#round2"}, {"round", "2"}, {"worker", "coder-1"}, {"session", "s1"},
		{"machine", "m1"}, {"harness", "messages"}, {"model", "some-model"}, {"code", string(code)}, {"tip", string(code)},
		{"call", "toolu_1"}, {"index", "3"}, {"state", "ok"}, {"cost", "1.234567"}, {"wake", "w1"},
		{"from", "briefs/0002-0123456789ab.md goals/0003-0123456789ab.md"}, {"replaces", "briefs/0001-0123456789ab.md"},
		{"time", "2026-03-04T05:06:07+01:00"}, {"rehearsed", "yes"}, {"options", "rounds=5 budget=none"}, {"colour", "blue"}}
	got := m.pairs()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%v\nis not\n%v", got, want)
	}
	var back Meta
	for _, p := range got {
		if err := back.set(p); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(back, m) {
		t.Errorf("%+v\nis not\n%+v", back, m)
	}
	if err := m.check(); err != nil {
		t.Error(err)
	}
	if none := (&Meta{}).pairs(); len(none) != 0 {
		t.Errorf("no facts are %v", none)
	}
}

// TestEveryFactHasAPlace finds a field of Meta that nobody prints.
func TestEveryFactHasAPlace(t *testing.T) {
	all := reflect.ValueOf(Meta{Rehearsed: true})
	for i := range all.NumField() {
		m := Meta{}
		field := reflect.ValueOf(&m).Elem().Field(i)
		switch field.Kind() {
		case reflect.String:
			field.SetString("x")
		case reflect.Int, reflect.Int64:
			field.SetInt(1)
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Slice:
			switch field.Type() {
			case reflect.TypeFor[[]string]():
				field.Set(reflect.ValueOf([]string{"x"}))
			case reflect.TypeFor[[]Option]():
				field.Set(reflect.ValueOf([]Option{{"rounds", "1"}}))
			default:
				field.Set(reflect.ValueOf([]Extra{{"x", "y"}}))
			}
		default:
			t.Fatalf("what is %s?", all.Type().Field(i).Name)
		}
		if len(m.pairs()) != 1 {
			t.Errorf("%s is printed as %v", all.Type().Field(i).Name, m.pairs())
		}
	}
}

func TestMoneyHasOneForm(t *testing.T) {
	for cost, want := range map[MicroUSD]string{0: "", 1: "0.000001", 999_999: "0.999999", 1_000_000: "1.000000", 12_345_678_901: "12345.678901"} {
		if got := cost.printed(); got != want {
			t.Errorf("%d is printed '%s'", cost, got)
		}
		if back, err := parseCost(want); want != "" && (err != nil || back != cost) {
			t.Errorf("'%s' is read as %d, %v", want, back, err)
		}
	}
	for _, bad := range []string{"1", ".5", "1.5", "1.0000000", "01.000000", "-1.000000", "1,000000", "1e6", "9999999999999999999.000000"} {
		if d, err := parseDoc([]byte("---\nkind: step\ncost: " + bad + "\n---\n")); err == nil {
			t.Errorf("'%s' is read as %+v", bad, d.Meta)
		}
	}
}

func TestDocumentsNames(t *testing.T) {
	d := Doc{Kind: KindReport, Counter: 7, Hash: "0123456789ab"}
	if d.Name() != "reports/0007-0123456789ab.md" {
		t.Errorf("'%s'", d.Name())
	}
	d.Counter = 12345
	for _, good := range []string{"reports/0007-0123456789ab.md", d.Name(), "stories/0001-0123456789ab.md"} {
		if _, _, _, ok := parseName(good); !ok {
			t.Errorf("'%s' is none", good)
		}
	}
	for _, bad := range []string{"", "reports/7-0123456789ab.md", "reports/0000-0123456789ab.md", "reports/00007-0123456789ab.md", "reports/0007-0123456789AB.md",
		"reports/0007-0123456789ab", "reports/0007-0123456789abc.md", "report/0007-0123456789ab.md", "/0007-0123456789ab.md", "x/reports/0007-0123456789ab.md",
		"reports/9999999999-0123456789ab.md", "Reports/0007-0123456789ab.md", "reports/0007-0123456789ab.md\n"} {
		if _, _, _, ok := parseName(bad); ok {
			t.Errorf("'%s' is one", bad)
		}
	}
	for _, kind := range []Kind{"y", "s", Kind(strings.Repeat("k", maxKind)), Kind(strings.Repeat("k", maxKind-1) + "y")} {
		d := Doc{Kind: kind, Counter: 1, Hash: "0123456789ab"}
		if folder, _, _, ok := parseName(d.Name()); !isKind(kind) || !ok || folder != kind.Folder() {
			t.Errorf("'%s' is none", d.Name())
		}
	}
	if Kind("story").Folder() != "stories" || KindReport.Folder() != "reports" {
		t.Error("the folders are not the plurals")
	}
}

func TestCutting(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 10, "short"}, {"one\ntwo\nthree", 8, "one\ntwo"}, {"one\n" + strings.Repeat("x", 20), 12, "one\nxxxxxxxx"},
		{"字字字", 4, "字"}, {"字字字", 6, "字字"}, {"字", 2, ""}, {"a     b", 4, "a"},
	} {
		if got := cutText(c.text, c.limit); got != c.want {
			t.Errorf("%q at %d is %q, not %q", c.text, c.limit, got, c.want)
		}
	}
	for _, c := range []struct {
		line  string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"ab cd", 4, "ab…"}, {"字字", 4, "字字"}, {"字字字", 5, "字字…"}, {"e\u0301e\u0301", 2, "e\u0301e\u0301"}} {
		if got := cutColumns(c.line, c.limit); got != c.want {
			t.Errorf("%q at %d is %q, not %q", c.line, c.limit, got, c.want)
		}
	}
}

func TestIdentitiesOfGit(t *testing.T) {
	for line, want := range map[string]string{
		"Ada Lovelace <ada@example.com> 1700000000 +0100": "Ada Lovelace <ada@example.com>",
		"A > B <a@b> 1700000000 +0100":                    "git flower <flower@localhost>",
		"J\xfcrgen <j@x> 1700000000 +0100":                "J\ufffdrgen <j@x>",
		"Ada <> 1700000000 +0100":                         "Ada <>",
		" <ada@example.com> 1 +0000":                      "git flower <flower@localhost>",
		"":                                                "git flower <flower@localhost>",
		"nonsense":                                        "git flower <flower@localhost>",
	} {
		if got := parseIdentity(line).String(); got != want {
			t.Errorf("'%s' is '%s', not '%s'", line, got, want)
		}
	}
}

func TestCommitsThatAreNone(t *testing.T) {
	for _, bad := range []string{"", "tree x", "tree x\n\nmessage", "tree x\ncommitter Ada <a> soon +0000\n\nx", "committer Ada <a> 1 +0000\n\nx", "tree x\ncommitter Ada <a> 1\n\nx"} {
		if c, err := parseCommit([]byte(bad)); err == nil {
			t.Errorf("%q is %+v", bad, c)
		}
	}
}

func TestTreesThatAreNone(t *testing.T) {
	id := strings.Repeat("x", 20)
	for _, bad := range []string{"x", "100644 a", "100644 a\x00short", "100644a\x00" + id, "100644 \x00" + id, "100644 a\x00" + id + "100644 a\x00" + id, "100644 a\x00" + id + "40000 a\x00" + id} {
		if f, err := parseTree([]byte(bad), 20); err == nil {
			t.Errorf("%q is %+v", bad, f)
		}
	}
}

func TestAnswersOfGit(t *testing.T) {
	read := func(text string) (answer, error) { return readAnswer(bufio.NewReader(strings.NewReader(text))) }
	if a, err := read("0123 blob 4\ntext\n"); err != nil || a.kind != "blob" || string(a.data) != "text" {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := read("0123 missing\n"); err != nil || !errors.Is(a.expect("0123", "blob"), ErrCorrupt) {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := read("0123 tree 0\n\n"); err != nil || !errors.Is(a.expect("0123", "blob"), ErrCorrupt) {
		t.Errorf("%+v, %v", a, err)
	}
	large := "0123 blob 20000000\n" + strings.Repeat("x", 20_000_000) + "\n"
	if a, err := read(large); err != nil || a.data != nil || a.expect("0123", "blob") == nil {
		t.Errorf("%v", err)
	}
	for _, bad := range []string{"", "0123 blob", "0123 blob 4\nte", "0123 blob x\n", "0123 blob -1\n"} {
		if a, err := read(bad); err == nil {
			t.Errorf("%q is %+v", bad, a)
		}
	}
}

func TestWhoHoldsALock(t *testing.T) {
	for text, want := range map[string]LockedError{
		"12\nm1\n": {Run: "x", PID: 12, Machine: "m1"}, "": {Run: "x"}, "nonsense": {Run: "x"}, "12": {Run: "x", PID: 12},
	} {
		path := filepath.Join(t.TempDir(), "lock")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		held := holder("x", f)
		if *held != want {
			t.Errorf("%q is %+v", text, held)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if (held.PID != 0) != strings.Contains(held.Error(), "process 12") {
			t.Errorf("it is said as '%v'", held)
		}
	}
}

func TestSettingsThatDecideTheWriter(t *testing.T) {
	for value, plain := range map[string]bool{"umask": true, "false": true, "FALSE": true, "0": true, "group": false, "0660": false, "all": false, "true": false, "": false} {
		if unshared(value) != plain {
			t.Errorf("sharedRepository '%s': %v", value, !plain)
		}
	}
	for extension, plain := range map[string]bool{"worktreeconfig": true, "partialclone": true, "refstorage": true, "compatobjectformat": false, "unheardof": false} {
		if harmless(extension) != plain {
			t.Errorf("extension '%s': %v", extension, !plain)
		}
	}
}

func TestTheRulesOfCurrentAndLast(t *testing.T) {
	doc := func(counter int, body string, replaces ...string) Doc {
		return Doc{Kind: KindGoal, Counter: counter, Hash: "0123456789ab", Body: body, Meta: Meta{Replaces: replaces}}
	}
	one := doc(1, "one")
	two := doc(2, "two")
	three := doc(3, "three", two.Name())
	h := History{Docs: []Doc{one, two, three, {Kind: KindEnd, Counter: 4, Hash: "0123456789ab"}}}
	if d, ok := h.Current(KindGoal); !ok || d.Body != "three" {
		t.Errorf("%+v", d)
	}
	h.Docs = append(h.Docs, Doc{Kind: KindGoal, Counter: 5, Hash: "0123456789ab", Body: "five", Meta: Meta{Replaces: []string{three.Name()}}})
	h.Docs = append(h.Docs, doc(6, "six", "goals/0005-0123456789ab.md"))
	if d, _ := h.Current(KindGoal); d.Body != "six" {
		t.Errorf("%+v", d)
	}
	if _, ok := h.Current(KindBrief); ok {
		t.Error("there is a brief")
	}
	if d, ok := h.Last(func(d Doc) bool { return d.Counter < 3 }); !ok || d.Body != "two" {
		t.Errorf("%+v", d)
	}
	if _, ok := h.Last(func(Doc) bool { return false }); ok {
		t.Error("something fits")
	}
	if len(h.Of(KindGoal)) != 5 || ObjectID("0123456789abcdef").Short() != "0123456789ab" || ObjectID("01").Short() != "01" {
		t.Error("the list or the short form is wrong")
	}
}

func TestLedgersSum(t *testing.T) {
	var h History
	for wake, text := range map[string]string{"w1": `[{"cost_micro_usd":5},{"cost_micro_usd":7}]`, "w2": `[]`, "w3": `[{"cost_micro_usd":1,"unknown":[1]}]`} {
		if err := h.account(wake, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if h.Spent() != 13 {
		t.Errorf("%d are spent", h.Spent())
	}
	if err := h.account("w1", nil); err != nil || h.Spent() != 1 {
		t.Errorf("%d are spent, %v", h.Spent(), err)
	}
	for _, bad := range []string{"", "{", "{}", `[{"cost_micro_usd":"much"}]`} {
		if err := h.account("w4", []byte(bad)); err == nil {
			t.Errorf("'%s' is a ledger", bad)
		}
	}
	data, err := json.Marshal(LedgerRow{})
	if err != nil || !strings.HasPrefix(string(data), `{"step":""`) {
		t.Errorf("%s, %v", data, err)
	}
}

// TestTheUsersGitVariablesCount names the repository by GIT_DIR, as a hook or
// 'git --git-dir' does.
func TestTheUsersGitVariablesCount(t *testing.T) {
	dir := newRepo(t)
	t.Setenv("GIT_DIR", filepath.Join(dir, ".git"))
	t.Setenv("GIT_OBJECT_DIRECTORY", filepath.Join(dir, ".git", "objects"))
	s, err := Open(t.Context(), t.TempDir(), Config{StateHome: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := create(t, s, "x")
	os.Unsetenv("GIT_DIR")
	os.Unsetenv("GIT_OBJECT_DIRECTORY")
	if got := run(t, dir, "rev-parse", "flower/run/x"); got != string(r.Tip()) {
		t.Errorf("the run is at '%s'", got)
	}
	if s.Git().Dir() == "" {
		t.Error("git runs nowhere")
	}
}

// TestARepositoryOfSomebodyElse keeps git's own words about it.
func TestARepositoryOfSomebodyElse(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	dir := newRepo(t)
	for _, path := range []string{dir, filepath.Join(dir, ".git")} {
		if err := os.Chown(path, 4711, 4711); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Open(t.Context(), dir, Config{})
	var failed *gitcmd.Error
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "dubious ownership") || errors.Is(err, ErrNotRepository) {
		t.Errorf("%v", err)
	}
}

func TestAProblemIsOneLine(t *testing.T) {
	p := Problem{Run: "x", Commit: ObjectID(strings.Repeat("ab", 20)), Check: "P8", Text: "what"}
	if got := p.String(); got != "x abababababab P8: what" {
		t.Errorf("'%s'", got)
	}
}
