package gitstate

import (
	"os"
	"strconv"
	"strings"
)

// bornAt tells when a process began, in ticks since the machine did; with its
// number that names it for good. Empty when it cannot be told; false for a
// process that has ended, also when its parent has not taken note of it yet.
func bornAt(pid int) (ticks string, alive bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", true // nobody mounts /proc, or it hides other users' processes
	}
	// The second field is the program's name in brackets, which may hold anything.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	const state, start = 0, 19 // fields 3 and 22 of proc(5)
	if len(fields) <= start {
		return "", true
	}
	return fields[start], fields[state] != "Z" && fields[state] != "X"
}
