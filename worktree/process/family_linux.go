package process

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A family is a command's session, everything that carries its mark, and all
// their descendants.
type family struct {
	leader  int
	since   uint64 // the leader's start, in clock ticks after boot
	belongs func(pid int, env []string) bool
	read    func(file string) ([]byte, error)
	asked   map[member]bool // who got SIGTERM
	bare    map[member]bool // who was seen with arguments and without an environment
	looks   *int            // how often nobody was found and somebody was blank
}

// blankLooks is how often it is looked again for members where a process is
// blank: a second, on a machine that is so busy that it gets no further.
const blankLooks = 200

// A member is a process; the start tells it from a later one of the same number.
type member struct {
	pid   int
	start uint64
}

func newFamily(leader int, mark string) family {
	f := family{leader: leader, read: os.ReadFile, asked: map[member]bool{}, bare: map[member]bool{}, looks: new(int)}
	f.belongs = func(_ int, env []string) bool { return hasMark(env, mark) }
	if s, ok := readStat(leader); ok {
		f.since = s.start
	}
	return f
}

// signal asks all living members to end, or makes them, and returns how many
// there were or may have been. A member is asked once.
func (f family) signal(hard bool) int {
	members, blank := f.members()
	if len(members) == 0 && blank > 0 && *f.looks < blankLooks {
		*f.looks++
		return blank
	}
	for _, m := range members {
		switch {
		case hard:
			syscall.Kill(m.pid, syscall.SIGKILL)
		case !f.asked[m]:
			f.asked[m] = true
			syscall.Kill(m.pid, syscall.SIGTERM)
			syscall.Kill(m.pid, syscall.SIGCONT)
		}
	}
	return len(members)
}

// members walks /proc. A process can only be a descendant of one that is older,
// but numbers wrap round, so the walk repeats until nothing is added. It also
// returns how many of the others were blank.
func (f family) members() (living []member, blank int) {
	all := f.candidates()
	in, hidden := map[int]bool{}, map[int]bool{}
	for _, s := range all {
		if s.pid == f.leader && s.start == f.since || s.session == f.leader {
			in[s.pid] = true
			continue
		}
		env, blank := f.environ(s)
		in[s.pid], hidden[s.pid] = f.belongs(s.pid, env), blank
	}
	for grown := true; grown; {
		grown = false
		for _, s := range all {
			if !in[s.pid] && in[s.parent] {
				in[s.pid], grown = true, true
			}
		}
	}
	for _, s := range all {
		switch {
		case s.state == 'Z' || s.state == 'X':
		case in[s.pid]:
			living = append(living, member{s.pid, s.start})
		case hidden[s.pid]:
			blank++
		}
	}
	return living, blank
}

// candidates are the processes that started no earlier than the command. One may
// be gone before it is read and have left a younger one, so that it is listed
// until there is nobody new.
func (f family) candidates() []stat {
	listed := map[int]bool{os.Getpid(): true}
	var all []stat
	for grown := true; grown; {
		grown = false
		for _, pid := range processes() {
			if listed[pid] {
				continue
			}
			listed[pid], grown = true, true
			if s, ok := readStat(pid); ok && s.start >= f.since {
				all = append(all, s)
			}
		}
	}
	return all
}

func processes() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// kernelThreads is the parent of what never was a program.
const kernelThreads = 2

// environ is what a process was started with, and whether that may be hidden: a
// process that is just becoming another program has neither arguments nor an
// environment, and then for an instant only arguments. Both answers come from one
// reading, since the next one may be of the other program.
func (f family) environ(s stat) (env []string, blank bool) {
	text, err := f.read(procFile(s.pid, "environ"))
	if len(text) > 0 || err != nil && !errors.Is(err, syscall.ESRCH) || s.pid == kernelThreads || s.parent == kernelThreads {
		return strings.Split(string(text), "\x00"), false
	}
	args, err := f.read(procFile(s.pid, "cmdline"))
	if len(args) == 0 {
		return nil, err == nil || errors.Is(err, syscall.ESRCH)
	}
	m := member{s.pid, s.start}
	before := f.bare[m]
	f.bare[m] = true
	return nil, !before
}

func procFile(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

func hasMark(env []string, mark string) bool {
	return slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, mark+"=") })
}

// environ is what a process was started with; nothing of processes of others.
func environ(pid int) []string {
	env, err := os.ReadFile(procFile(pid, "environ"))
	if err != nil {
		return nil
	}
	return strings.Split(string(env), "\x00")
}

// leftIn is what commands of an earlier process of ours left running in dir: those
// that were started there, wherever they are now, and those that are there now.
func leftIn(dir string) family {
	p := within(dir)
	return marked(func(pid int, _, started []string) bool {
		return slices.ContainsFunc(started, p.contains) || p.holds("/proc/"+strconv.Itoa(pid), nil)
	})
}

// startedIn is what they left that was started in dir with a variable.
func startedIn(dir, variable string) family {
	return marked(func(_ int, env, started []string) bool {
		return slices.Contains(started, dir) && slices.Contains(env, variable)
	})
}

// strayFrom is what they left that was started below dir in a folder that is gone.
func strayFrom(dir string) family {
	p := within(dir)
	return marked(func(_ int, _, started []string) bool {
		return slices.ContainsFunc(started, func(at string) bool {
			_, err := os.Lstat(at)
			return p.contains(at) && errors.Is(err, fs.ErrNotExist)
		})
	})
}

// marked are the processes of commands of ours that are of a kind, which is told
// by where each was started.
func marked(kind func(pid int, env, started []string) bool) family {
	f := newFamily(-1, "")
	f.belongs = func(pid int, env []string) bool {
		started := marks(env)
		return len(started) > 0 && kind(pid, env, started)
	}
	return f
}

// A stat is what /proc/<pid>/stat says.
type stat struct {
	pid, parent, session int
	state                byte
	start                uint64
}

func readStat(pid int) (stat, bool) {
	line, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return stat{}, false
	}
	return parseStat(pid, line)
}

// parseStat reads the fields behind the last ')': the command's name before it
// may hold anything.
func parseStat(pid int, line []byte) (stat, bool) {
	i := bytes.LastIndexByte(line, ')')
	if i < 0 {
		return stat{}, false
	}
	fields := bytes.Fields(line[i+1:])
	if len(fields) < 20 || len(fields[0]) != 1 {
		return stat{}, false
	}
	parent, err1 := strconv.Atoi(string(fields[1]))
	session, err2 := strconv.Atoi(string(fields[3]))
	start, err3 := strconv.ParseUint(string(fields[19]), 10, 64)
	return stat{pid, parent, session, fields[0][0], start}, err1 == nil && err2 == nil && err3 == nil
}
