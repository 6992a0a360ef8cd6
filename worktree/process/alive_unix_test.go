//go:build unix

package process

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// alive reports whether a process is there and no zombie. One that is there, and
// gone when its state is read, was a zombie; where there is no /proc it counts.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return syscall.Kill(pid, 0) == nil
	}
	return !strings.Contains(string(text), ") Z ") && !strings.Contains(string(text), ") X ")
}
