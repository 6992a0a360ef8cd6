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
	leader int
	since  uint64 // the leader's start, in clock ticks after boot
	marked func(pid int) bool
	asked  map[member]bool // who got SIGTERM
	looks  *int            // how often nobody was found and somebody was blank
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
	f := family{leader: leader, asked: map[member]bool{}, looks: new(int)}
	f.marked = func(pid int) bool { return hasMark(pid, mark) }
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
	in := map[int]bool{}
	for _, s := range all {
		if s.pid == f.leader && s.start == f.since || s.session == f.leader || f.marked(s.pid) {
			in[s.pid] = true
		}
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
		case s.pid != kernelThreads && s.parent != kernelThreads && isBlank(s.pid):
			blank++
		}
	}
	return living, blank
}

// candidates are the processes that started no earlier than the command.
func (f family) candidates() []stat {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var all []stat
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		if s, ok := readStat(pid); ok && s.start >= f.since {
			all = append(all, s)
		}
	}
	return all
}

// kernelThreads is the parent of what never was a program.
const kernelThreads = 2

// isBlank reports whether a process is just becoming another program: neither
// its arguments nor its environment can be read then, nor its mark in it.
func isBlank(pid int) bool {
	for _, name := range [...]string{"/environ", "/cmdline"} {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + name)
		if err != nil && !errors.Is(err, syscall.ESRCH) || len(text) > 0 {
			return false
		}
	}
	return true
}

func hasMark(pid int, mark string) bool {
	return slices.ContainsFunc(environ(pid), func(kv string) bool { return strings.HasPrefix(kv, mark+"=") })
}

// environ is what a process was started with; nothing of processes of others.
func environ(pid int) []string {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil
	}
	return strings.Split(string(env), "\x00")
}

// leftIn is what commands of an earlier process of ours left running in dir: those
// that were started there, wherever they are now, and those that are there now.
func leftIn(dir string) family {
	p := within(dir)
	return marked(func(pid int, started []string) bool {
		return slices.ContainsFunc(started, p.contains) || p.holds("/proc/"+strconv.Itoa(pid), nil)
	})
}

// startedIn is what they left that was started in dir with a variable.
func startedIn(dir, variable string) family {
	return marked(func(pid int, started []string) bool {
		return slices.Contains(started, dir) && slices.Contains(environ(pid), variable)
	})
}

// strayFrom is what they left that was started below dir in a folder that is gone.
func strayFrom(dir string) family {
	p := within(dir)
	return marked(func(_ int, started []string) bool {
		return slices.ContainsFunc(started, func(at string) bool {
			_, err := os.Lstat(at)
			return p.contains(at) && errors.Is(err, fs.ErrNotExist)
		})
	})
}

// marked are the processes of commands of ours that are of a kind, which is told
// by where each was started.
func marked(kind func(pid int, started []string) bool) family {
	f := family{leader: -1, asked: map[member]bool{}, looks: new(int)}
	f.marked = func(pid int) bool {
		var started []string
		for _, kv := range environ(pid) {
			if key, at, _ := strings.Cut(kv, "="); strings.HasPrefix(key, markPrefix) {
				started = append(started, at)
			}
		}
		return len(started) > 0 && kind(pid, started)
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
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
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
