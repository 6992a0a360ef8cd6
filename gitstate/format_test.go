package gitstate

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-flower/gitstate/document"
)

func TestDocumentsReadBackAsTheyWerePrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, file, err := newDoc(someKind().Draw(t, "kind"), someFacts().Draw(t, "facts"), body().Draw(t, "body"), rapid.IntRange(1, 99999).Draw(t, "counter"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := parseNamed(d.Name(), file)
		if err != nil {
			t.Fatalf("%v\n%s", err, file)
		}
		if !bytes.Equal(got.print(), file) || got.Name() != d.Name() || got.Body != d.Body {
			t.Fatalf("read %+v\nof %+v", got, d)
		}
	})
}

func TestMessagesReadBackAsTheyWerePrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, _, err := newDoc(someKind().Draw(t, "kind"), someFacts().Draw(t, "facts"), body().Draw(t, "body"), 1)
		if err != nil {
			t.Fatal(err)
		}
		m := newMessage("0123456789abcdef", line().Draw(t, "subject"), d)
		raw := m.print()
		got, err := parseMessage(raw)
		if err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		if !bytes.Equal(got.print(), raw) || !got.repeats(d) || got.Subject != m.Subject || got.Body != m.Body {
			t.Fatalf("read %+v\nof %+v", got, m)
		}
	})
}

func TestASubjectFitsInto72Columns(t *testing.T) {
	for _, subject := range []string{strings.Repeat("x", 500), strings.Repeat("字", 100), strings.Repeat("🙂", 99), "e\u0301" + strings.Repeat("e\u0301", 90)} {
		d, _, err := newDoc(KindNotice, Meta{}, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		m := newMessage("0123456789abcdef", subject, d)
		columns := 0
		for _, r := range "notice: " + m.Subject {
			columns += columnsOf(r)
		}
		if columns > maxSubject || columns < maxSubject-3 {
			t.Errorf("'%s' has %d columns", m.Subject, columns)
		}
	}
}

func TestALongBodyIsCutAndSaysSo(t *testing.T) {
	for name, text := range map[string]string{
		"lines":    strings.Repeat("a line of text\n", 100_000),
		"one line": strings.Repeat("x", 1<<20),
		"wide":     strings.Repeat("字", 1<<19),
	} {
		d, file, err := newDoc(KindReport, Meta{}, text, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Body) > MaxBody || len(d.Body) < MaxBody/2 || !strings.Contains(d.Body, "[cut: ") {
			t.Errorf("%s: the document has %d bytes and ends in '%s'", name, len(d.Body), d.Body[len(d.Body)-80:])
		}
		m := newMessage("0123456789abcdef", "done", d)
		if len(m.Body) > maxMessageBody+200 || !strings.HasSuffix(m.Body, pointer(d)) {
			t.Errorf("%s: the message has %d bytes and ends in '%s'", name, len(m.Body), m.Body[len(m.Body)-80:])
		}
		if _, err := parseDoc(file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := parseMessage(m.print()); err != nil || !got.repeats(d) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestADocumentHasOneEncoding(t *testing.T) {
	good := "---\nkind: report\nround: 2\nworker: coder-1\ncost: 0.000012\n---\n\ntext\n"
	if _, err := parseDoc([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"", "text", "---\n", "---\nkind: report\n", "---\nkind: report\n---",
		strings.Replace(good, "round: 2\nworker: coder-1", "worker: coder-1\nround: 2", 1),
		strings.Replace(good, "round: 2", "round: 02", 1), strings.Replace(good, "round: 2", "round: +2", 1),
		strings.Replace(good, "round: 2", "round: two", 1), strings.Replace(good, "round: 2", "round: -2", 1),
		strings.Replace(good, "round: 2", "round: 2\nround: 2", 1), strings.Replace(good, "round: 2", "round:2", 1),
		strings.Replace(good, "0.000012", "0.12", 1), strings.Replace(good, "0.000012", "0.0000012", 1),
		strings.Replace(good, "coder-1", "coder-1 ", 1), strings.Replace(good, "coder-1", "", 1),
		strings.Replace(good, "---\n\ntext", "---\ntext", 1), strings.Replace(good, "text\n", "text", 1),
		strings.Replace(good, "text\n", "text\n\n", 1), strings.Replace(good, "text\n", "te\x1b[0mxt\n", 1),
		strings.Replace(good, "text\n", "te\xffxt\n", 1), strings.Replace(good, "text\n", "text \n", 1),
		strings.Replace(good, "report", "Report", 1), strings.Replace(good, "report", "", 1),
		strings.Replace(good, "kind: report", "kind: report\nkind: report", 1),
		strings.ReplaceAll(good, "\n", "\r\n"),
	} {
		if d, err := parseDoc([]byte(bad)); err == nil {
			t.Errorf("%q is read as %+v", bad, d)
		}
	}
}

func TestCleaningIsDoneOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := body().Draw(t, "text")
		if once := document.Clean(text); document.Clean(once) != once {
			t.Fatalf("%q becomes %q and then %q", text, once, document.Clean(once))
		}
		if once := cleanLine(text); cleanLine(once) != once {
			t.Fatalf("%q becomes %q and then %q", text, once, cleanLine(once))
		}
	})
}

func TestTrailerNamesAndKeysAreOneToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(rapid.StringMatching(`[a-z0-9][a-z0-9-]{0,20}`), rapid.StringMatching(`[A-Za-z0-9-]{1,20}[A-Z]`)).Draw(t, "key")
		if got := trailerKey(trailerName(key)); got != key && (Extra{key, "x"}).check() == nil {
			t.Fatalf("'%s' is the trailer '%s', which is the key '%s'", key, trailerName(key), got)
		}
	})
}

func TestTreesReadBackInGitsOrder(t *testing.T) {
	dir := newRepo(t)
	blob := ObjectID(runIn(t, dir, "x", "hash-object", "-w", "--stdin"))
	f := &folder{}
	inner := &folder{}
	inner = inner.with(item{name: "x", mode: modeFile, id: blob})
	raw, err := inner.print()
	if err != nil {
		t.Fatal(err)
	}
	tree := objectFormat("sha1").name("tree", raw)
	for _, name := range []string{"a", "a.b", "a-b", "ab", "b"} {
		f = f.with(item{name: name, mode: modeFile, id: blob})
	}
	f = f.with(item{name: "a", mode: modeFolder, id: tree}).with(item{name: "b", mode: modeScript, id: blob})
	raw, err = f.print()
	if err != nil {
		t.Fatal(err)
	}
	want := runIn(t, dir, "100644 blob "+string(blob)+"\ta.b\n040000 tree "+string(tree)+"\ta\n100644 blob "+string(blob)+"\tab\n100755 blob "+string(blob)+"\tb\n100644 blob "+string(blob)+"\ta-b\n", "mktree", "--missing")
	if got := objectFormat("sha1").name("tree", raw); string(got) != want {
		t.Errorf("the tree is '%s', git's is '%s'", got, want)
	}
	back, err := parseTree(raw, 20)
	if err != nil || len(back.items) != 5 {
		t.Fatalf("%+v, %v", back, err)
	}
	if again, err := back.print(); err != nil || !bytes.Equal(again, raw) {
		t.Errorf("%v: printed again it is another tree", err)
	}
	if _, ok := back.without("a").find("a"); ok {
		t.Error("an entry is still there")
	}
}

var update = flag.Bool("update", false, "write the examples of the format anew")

// TestTheExamplesOfTheFormat reads the commits and documents that stand in
// testdata/format and prints them again: the format is what these files are.
func TestTheExamplesOfTheFormat(t *testing.T) {
	if *update {
		writeExamples(t)
	}
	commits, err := filepath.Glob("testdata/format/*.commit")
	if err != nil || len(commits) < 8 {
		t.Fatalf("%d examples, %v", len(commits), err)
	}
	for _, path := range commits {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := parseCommit(raw)
		if err != nil {
			t.Fatal(err)
		}
		m, err := parseMessage(c.Message)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		c.Message = m.print()
		if !bytes.Equal(c.print(), raw) {
			t.Errorf("%s is printed otherwise:\n%s", path, c.print())
		}
		file, err := os.ReadFile(strings.TrimSuffix(path, ".commit") + ".md")
		if err != nil {
			t.Fatal(err)
		}
		d, err := parseDoc(file)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if !bytes.Equal(d.print(), file) || !m.repeats(d) {
			t.Errorf("%s is not repeated by its document", path)
		}
	}
}

// TestTheExampleFilesOfTheFormat reads the files of a tree that are no documents.
func TestTheExampleFilesOfTheFormat(t *testing.T) {
	ledger, err := os.ReadFile("testdata/format/ledger.json")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := parseLedger(ledger)
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.MarshalIndent(rows, "", "  ")
	if err != nil || string(again)+"\n" != string(ledger) {
		t.Errorf("the ledger is printed otherwise: %v\n%s", err, again)
	}
}

// writeExamples makes the example files, from records that are fixed.
func writeExamples(t *testing.T) {
	parent := ObjectID("")
	for i, x := range exampleRecords() {
		d, file, err := newDoc(x.Kind, x.Meta, x.Body, i+1)
		if err != nil {
			t.Fatal(err)
		}
		c := commit{Tree: objectFormat("sha1").name("tree", nil), Author: "Ada Lovelace <ada@example.com>", Unix: 1772600767 + int64(i), Zone: "+0100"}
		if parent != "" {
			c.Parents = []ObjectID{parent}
		}
		c.Message = newMessage("0123456789abcdef", x.Subject, d).print()
		parent = objectFormat("sha1").name("commit", c.print())
		base := filepath.Join("testdata", "format", strings.ReplaceAll(filepath.Base(d.Name()[:len(d.Name())-16]), "-", "")+"-"+string(d.Kind))
		for path, data := range map[string][]byte{base + ".commit": c.print(), base + ".md": file} {
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func exampleRecords() []Record {
	code := ObjectID(strings.Repeat("c0de", 10))
	return []Record{
		{Kind: KindRequest, Subject: "Add a --json flag to the list command", Body: "Add a --json flag to the list command", Meta: Meta{Wake: "w1", Rehearsed: true}},
		{Kind: KindAmendment, Subject: "and a test", Body: "and a test", Meta: Meta{Wake: "w1", Time: "2026-03-04T05:06:08+01:00"}},
		{Kind: KindBrief, Subject: "list prints JSON with --json", Body: "## Goal\n\nlist prints JSON\n\n## Acceptance\n\n- a test shows it\n\n## Boundaries\n\n(none)\n\n## Unknowns\n\n(none)", Meta: Meta{Step: "clarify", Wake: "w1", From: []string{"requests/0001-0123456789ab.md", "amendments/0002-0123456789ab.md"}}},
		{Kind: KindSession, Subject: "work begins", Meta: Meta{Step: "work", Session: "s-1", Machine: "0123456789abcdef", Harness: "messages", Model: "some-model", Wake: "w1"}},
		{Kind: KindReport, Subject: "the flag is there", Body: benchBody, Meta: Meta{Step: "work", Round: 1, Worker: "coder-1", Session: "s-2", Harness: "messages", Model: "some-model", Tip: code, Call: "toolu_01", Index: 1, State: "ok", Cost: 123456, Wake: "w1"}},
		{Kind: KindVerdict, Subject: "not yet: the test is missing", Body: "---\nFlower-State: reached\n# reached\n\n目标未达成：缺少测试", Meta: Meta{Step: "work", Round: 1, Code: code, State: "not-yet", Cost: 1, Wake: "w1"}},
		{Kind: KindStep, Subject: "work#round1", Body: "reduced text", Meta: Meta{Step: "work", Label: "work#round1", Round: 1, State: "ok", Wake: "w1"}},
		{Kind: KindNotice, Subject: "the run went on after an interruption", Meta: Meta{Wake: "w2"}},
		{Kind: "omen", Subject: "of a kind that is not known here", Body: "text", Meta: Meta{Wake: "w2", Extra: []Extra{{"colour", "blue"}, {"Signed-off-by", "Ada Lovelace <ada@example.com>"}}}},
	}
}
