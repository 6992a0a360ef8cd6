package messages

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/worktree/process"
)

// until waits for a condition, a minute at most.
func until(t testing.TB, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	end := time.Now().Add(time.Minute)
	for !ok() {
		if time.Now().After(end) {
			t.Fatal("waited too long")
		}
		<-tick.C
	}
}

// leave starts a command in the background and returns the shell's id.
func (k *kit) leave(script string) string {
	k.Helper()
	_, rest, _ := strings.Cut(k.good("Bash", in{"command": script, "run_in_background": true}), "'")
	id, _, ok := strings.Cut(rest, "'")
	if !ok {
		k.Fatal("no shell is named")
	}
	return id
}

// ended waits until the shell is over, without reading its output.
func (k *kit) ended(id string) {
	k.Helper()
	b, err := k.tools.shells.find(id)
	if err != nil {
		k.Fatal(err)
	}
	<-b.Done()
}

func (k *kit) pid(name string) int {
	k.Helper()
	pid := 0
	until(k, func() bool {
		text, _ := os.ReadFile(filepath.Join(k.dir, name))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return pid > 0 && strings.HasSuffix(string(text), "\n")
	})
	return pid
}

// gone: what has been killed may still be a zombie of whoever adopts it.
func gone(pid int) bool {
	if runtime.GOOS == "windows" {
		return true
	}
	if p, err := os.FindProcess(pid); err != nil || p.Signal(syscall.Signal(0)) != nil {
		return true
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(text), ") Z ")
}

func TestBackgroundOutputArrivesWhileItRuns(t *testing.T) {
	k := newKit(t)
	id := k.leave("echo one; until test -e go; do sleep 0.01; done; echo two; exit 3")
	got := ""
	until(t, func() bool {
		got = k.good("BashOutput", in{"bash_id": id})
		return strings.HasPrefix(got, "one\n")
	})
	if !strings.Contains(got, "is running") {
		t.Errorf("%q", got)
	}
	if got := k.good("BashOutput", in{"bash_id": id}); !strings.HasPrefix(got, "(nothing new)") {
		t.Errorf("told twice: %q", got)
	}
	k.file("go", "")
	k.ended(id)
	if got := k.good("BashOutput", in{"bash_id": id}); got != "two\n("+id+" has ended with exit code 3)" {
		t.Errorf("%q", got)
	}
	if got := k.good("KillShell", in{"shell_id": id}); !strings.Contains(got, "already") {
		t.Errorf("%q", got)
	}
	if next := k.leave("true"); next == id {
		t.Error("an id was used twice")
	}
}

func TestBackgroundFilter(t *testing.T) {
	k := newKit(t)
	id := k.leave("echo good; echo bad; printf 'good but not whole'; until test -e go; do sleep 0.01; done; echo; echo bad")
	filtered := func() string { return k.good("BashOutput", in{"bash_id": id, "filter": "^good"}) }
	got := ""
	until(t, func() bool { got = filtered(); return strings.HasPrefix(got, "good") })
	if strings.Contains(got, "bad") || strings.Contains(got, "whole") {
		t.Errorf("%q", got)
	}
	k.file("go", "")
	k.ended(id)
	if got := filtered(); !strings.HasPrefix(got, "good but not whole\n(") {
		t.Errorf("%q", got)
	}
	k.bad("BashOutput", in{"bash_id": id, "filter": "("}, "filter '('")
}

func TestKillShellEndsEverything(t *testing.T) {
	k := newKit(t)
	id := k.leave("sleep 1000 & echo $! >pid; echo said; wait")
	pid := k.pid("pid")
	if got := k.good("KillShell", in{"shell_id": id}); !strings.Contains(got, "killed") {
		t.Errorf("%q", got)
	}
	if !gone(pid) {
		t.Errorf("process %d is left", pid)
	}
	if got := k.good("BashOutput", in{"bash_id": id}); got != "said\n("+id+" was killed)" {
		t.Errorf("%q", got)
	}
}

func TestUnknownShells(t *testing.T) {
	k := newKit(t)
	for _, id := range []string{"", "bash_1", "bash_0", "bash_-1", "bash_x", "7", "bash_99999999999999999999"} {
		k.bad("BashOutput", in{"bash_id": id}, "there is no shell '"+id+"'")
		k.bad("KillShell", in{"shell_id": id}, "there is no shell '"+id+"'")
	}
}

func TestBackgroundFloodStaysBounded(t *testing.T) {
	k := newKit(t)
	id := k.leave("yes 0123456789 | head -n 1000000; echo last")
	k.ended(id)
	got := k.good("BashOutput", in{"bash_id": id})
	if len(got) > bashOutput+500 || !strings.Contains(got, "\nlast\n(") || !strings.Contains(got, "left out") {
		t.Errorf("%d bytes, ending %q", len(got), got[max(0, len(got)-200):])
	}
}

func TestBackgroundShellsAreCounted(t *testing.T) {
	k := newKit(t)
	first := k.leave("true")
	k.ended(first)
	for range shellsRunning {
		k.leave("sleep 1000")
	}
	k.bad("Bash", in{"command": "sleep 1000", "run_in_background": true}, "KillShell")
	k.good("KillShell", in{"shell_id": "bash_2"})
	for range shellsKept {
		k.ended(k.leave("true"))
	}
	k.bad("BashOutput", in{"bash_id": first}, "no longer kept")
	k.good("BashOutput", in{"bash_id": "bash_3"}) // runs, so it is never forgotten
}

// What cannot be looked at and ended again is not left running, and where the
// caller has a shell of its own nothing gets around it.
func TestBackgroundOnlyWhereItCanBeEnded(t *testing.T) {
	with := func(c Config, tools ...string) *toolset {
		c.Transcript = &harnesstest.Transcript{}
		h, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newToolset(h, harness.Options{Dir: t.TempDir(), Env: os.Environ(), Tools: tools})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.shells.close() })
		return s
	}
	for _, c := range []struct {
		name  string
		tools *toolset
		may   bool
	}{
		{"all three", with(Config{}, "Bash", "BashOutput", "KillShell"), true},
		{"Bash alone", with(Config{}, "Bash"), false},
		{"nothing to end it", with(Config{}, "Bash", "BashOutput"), false},
		{"a shell of the caller's", with(Config{Shell: process.Run}, "Bash", "BashOutput", "KillShell"), false},
	} {
		bash, _ := c.tools.find("Bash")
		_, err := bash.call(t.Context(), "id", json.RawMessage(`{"command":"true","run_in_background":true}`))
		if (err == nil) != c.may {
			t.Errorf("%s: %v", c.name, err)
		}
		if strings.Contains(string(bash.schema), "run_in_background") != c.may || !json.Valid(bash.schema) {
			t.Errorf("%s: schema %s", c.name, bash.schema)
		}
		if _, offered := c.tools.find("KillShell"); offered != c.may {
			t.Errorf("%s: KillShell offered: %v", c.name, offered)
		}
	}
}

// A session that is closed leaves nothing, and one that carries it on says what
// became of its shells and gives the numbers to no other.
func TestShellsEndWithTheSession(t *testing.T) {
	b := newBench(t)
	b.options.Tools = append(b.options.Tools, "BashOutput", "KillShell")
	k := &kit{TB: t, dir: b.options.Dir}
	script := "(trap '' HUP; sleep 1000) & echo $! >pid; wait"
	left := map[string]any{"command": script, "run_in_background": true}
	b.stub.Push(harnesstest.Use("toolu_1", "Bash", left), harnesstest.Say("left"))
	b.done("start it")
	pid := k.pid("pid")
	if gone(pid) {
		t.Fatal("it did not outlive the call")
	}
	b.closed(t)
	if !gone(pid) {
		t.Errorf("process %d outlived the session", pid)
	}

	b.options.Resume, b.session = true, nil
	b.stub.Push(harnesstest.Use("toolu_2", "BashOutput", map[string]any{"bash_id": "bash_1"}),
		harnesstest.Use("toolu_3", "Bash", left), harnesstest.Say("done"))
	b.done("look at it")
	results := b.results()
	if !strings.Contains(results[len(results)-2], "ended with the process that started it") {
		t.Errorf("the model was told %q", results)
	}
	if !strings.Contains(results[len(results)-1], "'bash_2'") {
		t.Errorf("a number was used twice: %q", results)
	}
}

// closed closes the session, twice.
func (b *bench) closed(t *testing.T) {
	t.Helper()
	for range 2 {
		if err := b.session.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestNewsNeverCutsACharacter(t *testing.T) {
	for cut, want := range map[string]string{"aé"[:2]: "a", "aé": "aé", "a\xff": "a\xff", "世"[:1]: "", "😀"[:3]: "", "": ""} {
		if got := string(wholeCharacters([]byte(cut))); got != want {
			t.Errorf("%q: %q, want %q", cut, got, want)
		}
	}
	if out, cut := newest([]byte("éé"), 3); string(out) != "é" || cut != 2 {
		t.Errorf("%q, %d", out, cut)
	}
}

func TestBackgroundStopsWhenTold(t *testing.T) {
	k := newKit(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tool, _ := k.tools.find("Bash")
	if r, err := tool.call(ctx, "", json.RawMessage(`{"command":"true","run_in_background":true}`)); err == nil {
		t.Errorf("%+v", r)
	}
	if err := k.tools.shells.close(); err != nil {
		t.Fatal(err)
	}
	k.bad("Bash", in{"command": "true", "run_in_background": true}, "closed")
	if got := fmt.Sprint(k.tools.shells.list()); got != "none was started" {
		t.Errorf("%q", got)
	}
}

// results are the texts of all results in the newest request.
func (b *bench) results() []string {
	b.Helper()
	var all []string
	for _, m := range b.stub.Last().Messages {
		for _, block := range m.Content {
			if block.Type == "tool_result" {
				all = append(all, told(block))
			}
		}
	}
	return all
}

// What the harness says it has is what a session that wants everything is offered.
func TestToolsAreThoseThatThereAre(t *testing.T) {
	h, err := New(Config{Transcript: &harnesstest.Transcript{}})
	if err != nil {
		t.Fatal(err)
	}
	pack := layPack(t, "one", map[string]string{"deploy": "x"})
	s, err := newToolset(h, harness.Options{Dir: t.TempDir(), Env: os.Environ(), Plugins: []string{pack},
		Tools: append(h.Tools(), "WebSearch", "MultiEdit", "NotebookEdit", "Agent", "Task")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.shells.close() })
	var offered []string
	for _, tool := range s.offered {
		offered = append(offered, tool.name)
	}
	slices.Sort(offered)
	if want := slices.Sorted(slices.Values(h.Tools())); !slices.Equal(offered, want) {
		t.Errorf("offered %v, said %v", offered, want)
	}
}
