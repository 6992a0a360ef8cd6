package process

import "os/exec"

// Bash is the shell for commands that models write: bash where there is one,
// since it is what they write for, else sh.
func Bash() string {
	if _, err := exec.LookPath("bash"); err != nil {
		return "sh"
	}
	return "bash"
}
