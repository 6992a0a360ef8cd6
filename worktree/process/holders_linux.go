package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Holders are the processes, ours excepted, that work in dir: whose working
// directory or root is there or below, or that hold a file open there which is
// not in except. Of processes of other users nothing is seen.
func Holders(dir string, except ...string) []Holder {
	w := within(dir)
	own, _ := os.ReadFile("/proc/self/cmdline")
	var found []Holder
	links, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range links {
		pid, err := strconv.Atoi(filepath.Base(proc))
		if err != nil || pid == os.Getpid() || begins(pid, own) || !w.holds(proc, except) {
			continue
		}
		name, _ := os.ReadFile(proc + "/comm")
		found = append(found, Holder{PID: pid, Name: strings.TrimSuffix(string(name), "\n")})
	}
	return found
}

// begins says whether a process is a child of ours whose program has not begun: until
// then it has our files, and our arguments or, for an instant, none.
func begins(pid int, own []byte) bool {
	s, ok := readStat(pid)
	if !ok || s.parent != os.Getpid() {
		return false
	}
	args, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return err != nil || len(args) == 0 || bytes.Equal(args, own)
}

// A place is a directory under the names by which it may be known.
type place []string

func within(dir string) place {
	p := place{filepath.Clean(dir)}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		p = append(p, real)
	}
	return p
}

func (p place) contains(path string) bool {
	for _, dir := range p {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}

func (p place) holds(proc string, except []string) bool {
	for _, link := range []string{"/cwd", "/root"} {
		if at, err := os.Readlink(proc + link); err == nil && p.contains(at) {
			return true
		}
	}
	fds, err := os.Open(proc + "/fd")
	if err != nil {
		return false
	}
	defer fds.Close()
	names, _ := fds.Readdirnames(-1)
	for _, name := range names {
		at, err := os.Readlink(proc + "/fd/" + name)
		if err == nil && p.contains(at) && !p.excepted(at, except) {
			return true
		}
	}
	return false
}

// excepted compares names below the place.
func (p place) excepted(at string, except []string) bool {
	for _, dir := range p {
		for _, name := range except {
			if at == filepath.Join(dir, name) {
				return true
			}
		}
	}
	return false
}
