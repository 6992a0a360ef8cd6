package gitstate

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A crafted record is a good one, taken apart so that a test can spoil it.
type crafted struct {
	files   map[string]craftedFile
	parents []ObjectID
	unix    int64
	headers string // between committer and message
	message string
	tip     ObjectID
}

type craftedFile struct {
	mode string
	data string
}

// spoil takes the newest record of a run apart, lets f change it, and puts the
// result in its place.
func spoil(t *testing.T, s *Store, dir, name string, f func(*crafted)) ObjectID {
	t.Helper()
	ref := runRefs + name
	tip := ObjectID(run(t, dir, "rev-parse", ref))
	raw, err := s.reader.one(t.Context(), tip, "commit")
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseCommit(raw)
	if err != nil {
		t.Fatal(err)
	}
	k := &crafted{files: map[string]craftedFile{}, parents: c.Parents, unix: c.Unix, message: string(c.Message), tip: tip}
	for line := range strings.SplitSeq(run(t, dir, "ls-tree", "-r", "-z", string(tip)), "\x00") {
		head, path, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		words := strings.Fields(head)
		k.files[path] = craftedFile{words[0], run(t, dir, "cat-file", "blob", words[2]) + "\n"}
	}
	f(k)
	c.Parents, c.Unix, c.Message = k.parents, k.unix, []byte(k.message)
	return putBack(t, s, dir, ref, k, c)
}

// putBack stores the spoiled record and moves the ref to it by force.
func putBack(t *testing.T, s *Store, dir, ref string, k *crafted, c commit) ObjectID {
	t.Helper()
	w := &drafting{store: s, batch: batch{format: s.objectFormat()}, state: state{root: &folder{}}}
	for _, path := range slices.Sorted(maps.Keys(k.files)) {
		if err := w.put(t.Context(), path, []byte(k.files[path].data)); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if c.Tree, err = w.trees(&w.state.root); err != nil {
		t.Fatal(err)
	}
	text := string(c.print())
	head, rest, _ := strings.Cut(text, "\n\n")
	id := w.batch.add("commit", []byte(head+"\n"+k.headers+"\n"+rest))
	writer, err := s.objectWriter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.write(t.Context(), w.batch.objects); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "update-ref", ref, string(id))
	return id
}

// document puts a document and the message that repeats it into the record, in
// the place of its own.
func (k *crafted) document(t *testing.T, d Doc, body string) Doc {
	t.Helper()
	d, file, err := newDoc(d.Kind, d.Meta, body, d.Counter)
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(k.files, func(path string, _ craftedFile) bool { return strings.HasPrefix(path, "reports/") })
	k.files[d.Name()] = craftedFile{modeFile, string(file)}
	m, err := scanMessage([]byte(k.message))
	if err != nil {
		t.Fatal(err)
	}
	k.message = string(newMessage(m.Run, m.Subject, d).print())
	return d
}

// own returns the path of the record's own document.
func (k *crafted) own() string {
	for path := range k.files {
		if strings.HasPrefix(path, "reports/") {
			return path
		}
	}
	return ""
}

func (k *crafted) rename(from, to string) {
	k.files[to] = k.files[from]
	delete(k.files, from)
}

func (k *crafted) edit(path string, f func(string) string) {
	k.files[path] = craftedFile{modeFile, f(k.files[path].data)}
}

// brokenPromises is one way to break each promise that lives in a record.
func brokenPromises(t *testing.T, dangling ObjectID) map[string]func(*crafted) {
	swap := func(a, b string) func(*crafted) {
		return func(k *crafted) {
			if !strings.Contains(k.message, a) {
				t.Fatalf("'%s' is not in the message", a)
			}
			k.message = strings.Replace(k.message, a, b, 1)
		}
	}
	return map[string]func(*crafted){
		"P4":  func(k *crafted) { k.parents = nil },
		"P5":  func(k *crafted) { k.message = withTrailer(k.message, "Flower-Run", "00000000000000ff") },
		"P6":  func(k *crafted) { k.unix -= 86400 },
		"P7":  func(k *crafted) { k.headers = "encoding ISO-8859-1\n" },
		"P8":  swap("\n    ## Evidence", "\n## Evidence"),
		"P9":  swap("Flower-Round: 1\nFlower-Worker: coder-1", "Flower-Worker: coder-1\nFlower-Round: 1"),
		"P10": swap("Flower-Format: 1", "Flower-Format: 2"),
		"P11": func(k *crafted) { k.files["README"] = craftedFile{modeFile, "x\n"} },
		"P12": func(k *crafted) {
			path := k.own()
			k.rename(path, strings.TrimSuffix(path, path[len(path)-15:])+"000000000000.md")
		},
		"P13": func(k *crafted) {
			path, text := k.own(), k.files[k.own()].data+"\n"
			delete(k.files, path)
			k.files[path[:len("reports/0005-")]+hashOf([]byte(text))+".md"] = craftedFile{modeFile, text}
		},
		"P14": func(k *crafted) { k.rename(k.own(), strings.Replace(k.own(), "reports/", "answers/", 1)) },
		"P15": func(k *crafted) {
			maps.DeleteFunc(k.files, func(path string, _ craftedFile) bool { return strings.HasPrefix(path, "questions/") })
		},
		"P16": func(k *crafted) { k.rename(k.own(), strings.Replace(k.own(), "/0005-", "/0002-", 1)) },
		"P17": swap("The flag is there", "The flag is not there"),
		"P18": func(k *crafted) {
			k.document(t, Doc{Kind: KindReport, Counter: 5, Meta: Meta{From: []string{"briefs/0001-0123456789ab.md"}}}, "x")
		},
		"P19": func(k *crafted) { k.edit("brief.md", strings.ToUpper) },
		"P20": func(k *crafted) {
			k.edit("lineage/m1.json", func(s string) string { return strings.Replace(s, "s-one", "s-two", 1) })
		},
		"P21": func(k *crafted) { k.edit("ledger/w1.json", func(string) string { return "{}\n" }) },
		"P22": func(k *crafted) { k.files["bench/notes/.GIT/config"] = craftedFile{modeFile, "x\n"} },
		"P24": func(k *crafted) {
			k.document(t, Doc{Kind: KindReport, Counter: 5, Meta: Meta{Code: dangling}}, "x")
		},
	}
}

func withTrailer(message, name, value string) string {
	before, rest, _ := strings.Cut(message, name+": ")
	_, after, _ := strings.Cut(rest, "\n")
	return before + name + ": " + value + "\n" + after
}

// fullRun makes a run with something of everything.
func fullRun(t *testing.T, s *Store) *Run {
	t.Helper()
	r := create(t, s, "x")
	add(t, r, Record{Kind: KindBrief, Subject: "a flag", Body: "## Goal\n\nA flag"})
	add(t, r, Record{Kind: KindSession, Subject: "begins", Meta: Meta{Worker: "coder-1", Machine: "m1", Session: "s-one", Harness: "messages"}})
	add(t, r, Record{Kind: KindQuestion, Subject: "which?", Body: "which?"})
	add(t, r, Record{Kind: KindReport, Subject: "done", Body: benchBody, Meta: Meta{Round: 1, Worker: "coder-1"},
		Files: map[string][]byte{"ledger/w1.json": []byte("[]\n")}})
	return r
}

func checks(problems []Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.Check)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestEachBrokenPromiseIsSaidByItsOwnCheck(t *testing.T) {
	t.Parallel()
	for check := range brokenPromises(t, "") {
		t.Run(check, func(t *testing.T) {
			t.Parallel()
			dir := newRepo(t)
			s := open(t, dir, Config{})
			fullRun(t, s)
			dangling := ObjectID(run(t, dir, "commit-tree", "-m", "nobody's", "HEAD^{tree}"))
			bad := spoil(t, s, dir, "x", brokenPromises(t, dangling)[check])
			problems, err := s.Fsck(t.Context(), "x")
			if err != nil {
				t.Fatal(err)
			}
			if got := checks(problems); !slices.Equal(got, []string{check}) {
				t.Fatalf("checks %v speak: %v", got, problems)
			}
			if problems[0].Commit != bad || problems[0].Text == "" {
				t.Errorf("%+v names not the record '%s'", problems[0], bad)
			}
		})
	}
}

func TestBrokenRefsAreSaidByTheirOwnChecks(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{ // check, git command
		"P1": {"update-ref", "refs/flower/run/Bad_Name", "refs/flower/run/x"},
		"P2": {"symbolic-ref", "refs/flower/run/link", "refs/flower/run/x"},
		"P3": {"update-ref", "refs/flower/base/x", "HEAD^{tree}"},
	}
	names := map[string]string{"P1": "Bad_Name", "P2": "link", "P3": "x"}
	for check, args := range cases {
		dir := newRepo(t)
		s := open(t, dir, Config{})
		fullRun(t, s)
		run(t, dir, args...)
		problems, err := s.Fsck(t.Context(), names[check])
		if err != nil {
			t.Fatal(err)
		}
		if got := checks(problems); !slices.Equal(got, []string{check}) {
			t.Errorf("%s: %v", check, problems)
		}
		all, err := s.Fsck(t.Context(), "")
		if err != nil || !slices.Equal(checks(all), []string{check}) {
			t.Errorf("all runs: %v, %v", all, err)
		}
	}
}

func TestARunAtATagOrATreeBreaksP2(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	fullRun(t, s)
	run(t, dir, "tag", "-a", "-m", "x", "v1", "refs/flower/run/x")
	for _, at := range []string{"v1", "HEAD^{tree}"} {
		run(t, dir, "update-ref", "refs/flower/run/x", run(t, dir, "rev-parse", at))
		problems, err := s.Fsck(t.Context(), "x")
		if err != nil || !slices.Equal(checks(problems), []string{"P2"}) {
			t.Errorf("at %s: %v, %v", at, problems, err)
		}
		if _, err := s.Run(t.Context(), "x"); err == nil {
			t.Errorf("a run at %s is opened", at)
		}
	}
}

func TestAMissingObjectBreaksP23(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"x~2", "x~2^{tree}", "x:reports", "x:brief.md", "x"} {
		dir := newRepo(t)
		s := open(t, dir, Config{})
		fullRun(t, s)
		id := run(t, dir, "rev-parse", "refs/flower/run/"+what)
		if err := os.Remove(filepath.Join(dir, ".git", "objects", id[:2], id[2:])); err != nil {
			t.Fatal(err)
		}
		problems, err := s.Fsck(t.Context(), "x")
		if err != nil || !slices.Equal(checks(problems), []string{"P23"}) {
			t.Errorf("%s: %v, %v", what, problems, err)
		}
	}
}

func TestAGoodRunHasNoProblems(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := fullRun(t, s)
	brief, _ := r.History().Current(KindBrief)
	add(t, r, Record{Kind: KindBrief, Subject: "other", Body: "## Goal\n\nOther", Meta: Meta{Replaces: []string{brief.Name()}}})
	add(t, r, Record{Kind: "omen", Subject: "of a newer kind", Body: strings.Repeat("a long line ", 9000),
		Meta: Meta{Extra: []Extra{{"colour", "blue"}, {"Signed-off-by", "Ada <ada@example.com>"}}}})
	problems, err := s.Fsck(t.Context(), "")
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	sound(t, dir)
}
