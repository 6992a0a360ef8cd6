package process

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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

// hiding reads /proc as it is while a process becomes another program: as often
// as told each file shows nothing, or the process no environment.
func hiding(pid int, often map[string]int) func(string) ([]byte, error) {
	return func(file string) ([]byte, error) {
		text, err := os.ReadFile(file)
		if often[file] == 0 {
			return text, err
		}
		often[file]--
		if file != procFile(pid, "stat") {
			return nil, nil
		}
		i := bytes.LastIndexByte(text, ')')
		fields := bytes.Fields(text[i+1:])
		fields[47], fields[48] = []byte("0"), []byte("0")
		return slices.Concat(text[:i+1], []byte(" "), bytes.Join(fields, []byte(" "))), err
	}
}

// TestBlankIsLookedAtAgain: a process that became another program while it was
// looked at is looked at again, however often, and not taken for a stranger.
func TestBlankIsLookedAtAgain(t *testing.T) {
	mark := newMark()
	pid := startSleep(t, t.TempDir(), mark+"=1")
	own, _ := readStat(pid)
	environ, cmdline, at := procFile(pid, "environ"), procFile(pid, "cmdline"), procFile(pid, "stat")
	for _, tt := range []struct {
		name   string
		hidden map[string]int
	}{
		{"everything at first", map[string]int{environ: 1, cmdline: 1, at: 2}},
		{"everything for long", map[string]int{environ: 20, cmdline: 20, at: 40}},
		{"only the environment was looked at too early", map[string]int{environ: 1}},
		{"it becomes one program after the other", map[string]int{environ: 3}},
		{"it has its arguments and for long no environment", map[string]int{environ: 20, at: 40}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFamily(-1, mark)
			f.since = own.start
			f.read = hiding(pid, tt.hidden)
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

// TestWhoEndsWhileReadIsFollowed: what a process starts before it ends, after it
// was listed and before it was read, is found.
func TestWhoEndsWhileReadIsFollowed(t *testing.T) {
	dir, mark := t.TempDir(), newMark()
	parent := exec.Command("sh", "-c", "read go; setsid sleep 1000 & echo $! >pid; exit")
	parent.Dir, parent.Env = dir, []string{mark + "=1", "PATH=" + os.Getenv("PATH")}
	in, err := parent.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	own, _ := readStat(parent.Process.Pid)
	f := newFamily(-1, mark)
	f.since = own.start
	f.read = func(file string) ([]byte, error) {
		if file == procFile(parent.Process.Pid, "environ") {
			in.Close()
			parent.Wait()
		}
		return os.ReadFile(file)
	}
	living, blank := f.members()
	for len(living) == 0 && blank > 0 {
		living, blank = f.members()
	}
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(child, syscall.SIGKILL)
	if len(living) != 1 || living[0].pid != child {
		t.Errorf("found %v, not %d", living, child)
	}
}

// Others that start and end all the time keep no look from its end.
func TestALookEndsWhateverStarts(t *testing.T) {
	newest := startSleep(t, t.TempDir(), "X=1")
	f := newFamily(newest, newMark())
	var storm []*exec.Cmd
	defer func() {
		for _, cmd := range storm {
			cmd.Wait()
		}
	}()
	f.read = func(file string) ([]byte, error) {
		if file == procFile(newest, "stat") && len(storm) < 10*walks {
			cmd := exec.Command("true")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			storm, newest = append(storm, cmd), cmd.Process.Pid
			if err := unix.Waitid(unix.P_PID, newest, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
				t.Fatal(err)
			}
		}
		return os.ReadFile(file)
	}
	if _, whole := f.candidates(); whole || len(storm) > walks+1 {
		t.Errorf("whole is %v after %d that started meanwhile", whole, len(storm))
	}
}

// Who has no environment at all holds nobody up.
func TestNoEnvironmentIsNoSecret(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	cmd.Env = []string{}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	f := newFamily(-1, newMark())
	c, ok := f.candidate(cmd.Process.Pid)
	for c.blank { // it is just becoming the program
		c, ok = f.candidate(cmd.Process.Pid)
	}
	if !ok || c.blank || !c.without || len(c.env) > 0 {
		t.Errorf("%+v, %v", c, ok)
	}
	own, _ := f.candidate(os.Getpid())
	if own.blank || own.without || len(own.env) == 0 {
		t.Errorf("of ourselves: %+v", own.stat)
	}
}
