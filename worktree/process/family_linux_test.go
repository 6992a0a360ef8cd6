package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	rest := " S 10 11 12 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 100 200"
	for _, name := range []string{"(sh)", "(a b)", "(a) R 1 2 3)", "(()", "())", "(\n)"} {
		got, ok := parseStat(7, []byte("7 "+name+rest))
		want := stat{pid: 7, parent: 10, session: 12, state: 'S', start: 987654}
		if !ok || got != want {
			t.Errorf("%q: %+v, %v", name, got, ok)
		}
	}
	for _, bad := range []string{"", "7", "7 (sh", "7 (sh)", "7 (sh) S 1 2", "7 (sh) S x 11 12 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654", "7 (sh) SS 10 11 12 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654"} {
		if got, ok := parseStat(7, []byte(bad)); ok {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("7 (sh) S 10 11 12 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 100 200"))
	f.Add([]byte(")"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if s, ok := parseStat(7, line); ok && s.pid != 7 {
			t.Errorf("%+v", s)
		}
	})
}

func TestReadStatOfOurselves(t *testing.T) {
	s, ok := readStat(os.Getpid())
	if !ok || s.parent != os.Getppid() || s.start == 0 {
		t.Errorf("%+v, %v", s, ok)
	}
	if _, ok := readStat(1 << 30); ok {
		t.Error("found a process that cannot be")
	}
}

// Who is older than the command, or of another session and unmarked, is no
// member, whatever its number.
func TestOthersAreNoMembers(t *testing.T) {
	older := startSleep(t, t.TempDir(), "X=1")
	leader := exec.Command("sh", "-c", "sleep 1000 & echo $!; wait")
	ownSession(leader)
	mark := newMark()
	leader.Env = []string{mark + "=1", "PATH=" + os.Getenv("PATH")}
	out, err := leader.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := leader.Start(); err != nil {
		t.Fatal(err)
	}
	f := newFamily(leader.Process.Pid, mark)
	younger := startSleep(t, t.TempDir(), "X=1")
	line := make([]byte, 32)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatal(err)
	}
	members := map[int]bool{}
	living, _ := f.members()
	for _, m := range living {
		members[m.pid] = true
	}
	if !members[leader.Process.Pid] || !members[child] || members[older] || members[younger] || members[os.Getpid()] || len(members) != 2 {
		t.Errorf("members %v; leader %d, child %d, others %d and %d", members, leader.Process.Pid, child, older, younger)
	}
	exited := make(chan error, 1)
	go func() { exited <- leader.Wait() }()
	if err := f.end(); err != nil {
		t.Error(err)
	}
	<-exited
	if alive(child) {
		t.Error("the child is left")
	}
}

// TestWhatIsJustBecomingAnotherProgramIsFound: for a moment its environment
// cannot be read, and so neither can the mark.
func TestWhatIsJustBecomingAnotherProgramIsFound(t *testing.T) {
	script := "rm -f pid; setsid sh -c 'echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 & until test -s pid; do :; done; kill -9 $$"
	for i := range 8 { // many at once, so that the moment lasts
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for range 20 {
				if _, err := Run(t.Context(), Command{Script: script, Dir: dir, Env: Env(), Timeout: 20 * time.Second}); err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(filepath.Join(dir, "pid"))
				if err != nil {
					t.Fatal(err)
				}
				pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
				if err != nil {
					t.Fatal(err)
				}
				if alive(pid) {
					syscall.Kill(pid, syscall.SIGKILL)
					t.Fatalf("process %d is left", pid)
				}
			}
		})
	}
}

// TestEnvironmentIsReadOnceForBothAnswers: a process that became another program
// while it was looked at is looked at again, not taken for a stranger.
func TestEnvironmentIsReadOnceForBothAnswers(t *testing.T) {
	mark := newMark()
	pid := startSleep(t, t.TempDir(), mark+"=1")
	own, _ := readStat(pid)
	environ, cmdline := procFile(pid, "environ"), procFile(pid, "cmdline")
	for _, tt := range []struct {
		name   string
		hidden map[string]int // how often a file shows nothing
	}{
		{"everything at first", map[string]int{environ: 1, cmdline: 1}},
		{"everything for long", map[string]int{environ: 20, cmdline: 20}},
		{"only the environment was looked at too early", map[string]int{environ: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFamily(-1, mark)
			f.since = own.start
			f.read = func(file string) ([]byte, error) {
				if tt.hidden[file] > 0 {
					tt.hidden[file]--
					return nil, nil
				}
				return os.ReadFile(file)
			}
			for {
				living, blank := f.members()
				if len(living) == 1 && living[0].pid == pid {
					return
				}
				if len(living) > 0 || blank == 0 {
					t.Fatalf("found %v, %d blank", living, blank)
				}
			}
		})
	}
}

// Who has no environment at all holds nobody up for long.
func TestNoEnvironmentIsNoSecret(t *testing.T) {
	pid := startSleep(t, t.TempDir(), "")
	own, _ := readStat(pid)
	f := newFamily(-1, newMark())
	f.read = func(file string) ([]byte, error) {
		if file == procFile(pid, "environ") {
			return nil, nil
		}
		return os.ReadFile(file)
	}
	if _, blank := f.environ(own); !blank {
		t.Error("at first sight it may be anybody")
	}
	if _, blank := f.environ(own); blank {
		t.Error("it is still waited for")
	}
}
