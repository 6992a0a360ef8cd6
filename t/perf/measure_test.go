package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"git-flower/engine/rehearse"
	"git-flower/gitstate"
)

func TestMeasureAppend(t *testing.T) {
	rows, err := measureAppend(t.Context(), small(t))
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	if !strings.Contains(rows[0].note, "1 blob, 2 trees") {
		t.Error(rows[0].note)
	}
}

// The check must be able to fail: a record that git did not write is found.
func TestAppendNoticesADifference(t *testing.T) {
	b := small(t)
	dir, err := b.repository(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	if err := fillRun(t.Context(), dir, 5); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir+"2", os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	a, err := openAppender(t.Context(), dir, true)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	for n := range 2 { // one more than git is given
		if err := a.append(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	if err := newPlumbing(dir, dir+"2", true).catchUp(t.Context(), a.run.Tip()); err == nil {
		t.Error("a missing record went unnoticed")
	}
}

func TestMeasureStore(t *testing.T) {
	if rows, err := measureStore(t.Context(), small(t)); err != nil || len(rows) != 6 {
		t.Fatal(rows, err)
	}
}

func TestStoreWithoutProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	rows, err := appendToProgram(t.Context(), small(t), t.TempDir())
	if err != nil || len(rows) != 1 || rows[0].ours != "" || !strings.Contains(rows[0].note, "missing") {
		t.Error(rows, err)
	}
}

// An entry that is not stored, lost or other than ours is noticed.
func TestStoreNoticesADifference(t *testing.T) {
	one, two := transcriptEntry(1), transcriptEntry(2)
	for _, other := range [][]json.RawMessage{nil, {one}, {two, one}, {one, two, two}} {
		if sameEntries([]json.RawMessage{one, two}, other, 2) == nil {
			t.Errorf("%.200s went unnoticed", other)
		}
	}
	path, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("missing: sqlite3")
	}
	s, err := openShell(t.Context(), path, filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := s.append(entryID(1), one); err != nil {
		t.Error(err)
	}
	if err := s.append(entryID(1), one); err == nil {
		t.Error("an entry that was not stored went unnoticed")
	}
}

func TestTurns(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("missing: /proc/self/status, for the peak of memory")
	}
	b := small(t)
	model, err := serveModel()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := b.folder("turns")
	if err != nil {
		t.Fatal(err)
	}
	s, err := runTurns(t.Context(), b, model, dir, 3)
	if err != nil || len(s.Turns) != 3 || s.PeakMB < 1 {
		t.Fatal(s, err)
	}
	for _, turn := range s.Turns {
		if turn.Store <= 0 || turn.Served <= 0 || turn.All < turn.Store+turn.Served {
			t.Error(turn)
		}
	}
	if err := model.close(); err != nil {
		t.Error(err)
	}
	if _, err := runTurns(t.Context(), b, model, dir, 1); err == nil {
		t.Error("turns without a model")
	}
}

// Every driver plays the job whole, and one that does not is noticed.
func TestJobs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("missing: getrusage of Linux")
	}
	b := small(t)
	b.claude = findCLI()
	for i, driver := range drivers {
		t.Run(driver, func(t *testing.T) {
			if driver != "messages" && b.claude == "" {
				t.Skip("the Claude Code CLI is not installed (GIT_FLOWER_TEST_CLAUDE names it)")
			}
			s, err := runJob(t.Context(), b, driver, i, 2)
			if err != nil || s.Wall <= 0 || s.CPU <= 0 || s.Gap <= 0 || s.OursMB < 1 || (s.OtherMB > 1) != (driver != "messages") {
				t.Error(s, err)
			}
		})
	}
}

func TestGapCountsRequests(t *testing.T) {
	script, err := rehearse.Parse(jobScript(1))
	if err != nil {
		t.Fatal(err)
	}
	m, err := serveStrict(t.Context(), script)
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	at := time.Unix(0, 0)
	m.asked = []span{{at, at.Add(1)}, {at.Add(4), at.Add(5)}, {at.Add(7), at.Add(8)}}
	if gap, err := m.gap(3); gap != 2 || err != nil {
		t.Error(gap, err)
	}
	if _, err := m.gap(2); err == nil {
		t.Error("a request too many went unnoticed")
	}
	if response, err := http.Post(m.url+"/v1/messages", "application/json", strings.NewReader("{}")); err != nil || response.StatusCode != 401 {
		t.Error(response, err)
	}
	if _, err := m.gap(4); err == nil {
		t.Error("a refused request went unnoticed")
	}
}

// The copies of a run must be runs.
func TestPatternMakesRuns(t *testing.T) {
	b := small(t)
	dir, err := b.repository(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	git := program{name: "git", dir: dir}
	real, err := readPattern(t.Context(), b, git)
	if err != nil {
		t.Fatal(err)
	}
	var stream strings.Builder
	for i := 1; i < 4; i++ {
		real.print(&stream, i)
	}
	if _, err := git.read(t.Context(), stream.String(), "fast-import", "--quiet"); err != nil {
		t.Fatal(err)
	}
	store, err := gitstate.Open(t.Context(), dir, gitstate.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ids := map[string]bool{}
	runs, err := store.Runs(t.Context())
	if err != nil || len(runs) != 3 {
		t.Fatal(runs, err)
	}
	for _, r := range runs {
		ids[r.ID] = true
	}
	if problems, err := store.Fsck(t.Context(), ""); err != nil || len(problems) > 0 || len(ids) != 3 {
		t.Error(problems, err, ids)
	}
}

func TestTakeSyncs(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	text := "12 fsync(3) = 0\nfsync(3) = 0\n12 fsync(3 <unfinished ...>\n13 fdatasync(4) = 0\n12 <... fsync resumed>) = 0\n"
	if err := os.WriteFile(log, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if n, err := takeSyncs(log); n != 4 || err != nil {
		t.Error(n, err)
	}
	if _, err := takeSyncs(log); err == nil {
		t.Error("the log is still there")
	}
}
