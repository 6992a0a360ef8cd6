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
	f := family{leader: leader, read: os.ReadFile, asked: map[member]bool{}, looks: new(int)}
	f.belongs = func(_ int, env []string) bool { return hasMark(env, mark) }
	if s, ok := readStat(leader); ok {
		f.since = s.start
	}
	return f
}

// signal asks all living members to end, or makes them, and returns how many
// there were, or that there may be some. A member is asked once.
func (f family) signal(hard bool) (left int, again bool) {
	members, blank := f.members()
	if len(members) == 0 && blank > 0 && *f.looks < blankLooks {
		*f.looks++
		return 0, true
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
	return len(members), false
}

// members walks /proc. A process can only be a descendant of one that is older,
// but numbers wrap round, so the walk repeats until nothing is added. It also
// returns how many of the others were blank.
func (f family) members() (living []member, blank int) {
	all, whole := f.candidates()
	if !whole {
		blank++
	}
	in := map[int]bool{}
	for _, c := range all {
		in[c.pid] = c.pid == f.leader && c.start == f.since || c.session == f.leader || f.belongs(c.pid, c.env)
	}
	for grown := true; grown; {
		grown = false
		for _, c := range all {
			if !in[c.pid] && in[c.parent] {
				in[c.pid], grown = true, true
			}
		}
	}
	for _, c := range all {
		switch {
		case c.ended():
		case in[c.pid]:
			living = append(living, member{c.pid, c.start})
		case c.blank:
			blank++
		}
	}
	return living, blank
}

// A candidate is a process that may be a member.
type candidate struct {
	stat
	env   []string
	blank bool // it has an environment, which cannot be read at the moment
}

// walks is how often one look goes through /proc at most.
const walks = 20

// candidates are the processes that started no earlier than the command, and
// whether these are all: one that ended before it was read may have left a
// younger one, so that it is listed again until there is no such.
func (f family) candidates() (all []candidate, whole bool) {
	listed := map[int]bool{os.Getpid(): true}
	for range walks {
		whole = true
		for _, pid := range processes() {
			if listed[pid] {
				continue
			}
			listed[pid] = true
			c, ok := f.candidate(pid)
			if ok && c.start >= f.since {
				all = append(all, c)
			}
			whole = whole && ok && !c.ended()
		}
		if whole {
			break
		}
	}
	return all, whole
}

// candidate reads what there is to know of a process; false if it is gone.
func (f family) candidate(pid int) (candidate, bool) {
	s, ok := f.stat(pid)
	if !ok || s.start < f.since || s.ended() {
		return candidate{stat: s}, ok
	}
	text, err := f.read(procFile(pid, "environ"))
	if len(text) > 0 {
		return candidate{stat: s, env: strings.Split(string(text), "\x00")}, true
	}
	gone := errors.Is(err, syscall.ESRCH) || errors.Is(err, fs.ErrNotExist)
	if err != nil && !gone || pid == kernelThreads || s.parent == kernelThreads {
		return candidate{stat: s}, true // of somebody else
	}
	// It is ending, has no environment, or is just becoming another program.
	s, ok = f.stat(pid)
	return candidate{stat: s, blank: !s.without}, ok
}

func (f family) stat(pid int) (stat, bool) {
	line, err := f.read(procFile(pid, "stat"))
	if err != nil {
		return stat{}, false
	}
	return parseStat(pid, line)
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
	without              bool // it was started with no environment
}

// ended reports whether the process has ended and only waits to be asked how.
func (s stat) ended() bool { return s.state == 'Z' || s.state == 'X' }

func readStat(pid int) (stat, bool) {
	line, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return stat{}, false
	}
	return parseStat(pid, line)
}

// parseStat reads the fields behind the last ')': the command's name before it
// may hold anything. Where the environment begins and ends (fields 50 and 51) is
// 0 until a process that becomes another program has one, and where we may not
// know.
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
	without := len(fields) > 48 && string(fields[48]) != "0" && bytes.Equal(fields[47], fields[48])
	return stat{pid, parent, session, fields[0][0], start, without}, err1 == nil && err2 == nil && err3 == nil
}
