package fence

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Main is called first in main, and in TestMain of tests whose code fences
// commands. In a process that a Launch started it puts up the fence, runs the
// command and does not return; in all others it does nothing.
func Main() {
	if os.Args[0] != secondMode || os.Getenv(stageMark) == "" {
		return
	}
	runtime.LockOSThread() // what is given up counts for a thread and its children
	status := os.NewFile(statusFile, "status")
	unix.CloseOnExec(statusFile)
	code, err := stage(os.Args[1:], status)
	if err != nil {
		io.WriteString(status, err.Error())
		code = 126
	}
	os.Exit(code)
}

// stage comes back when the command has ended, or could not be started.
func stage(argv []string, status *os.File) (int, error) {
	p, err := readPolicy()
	if err != nil {
		return 0, err
	}
	at, err := unix.Getwd()
	if err != nil {
		return 0, fmt.Errorf("find the working directory: %w", err)
	}
	rules := p.rules(filepath.EvalSymlinks)
	if p.Means.Namespaces {
		if rules, err = arrange(p, rules); err != nil {
			return 0, err
		}
		if err := unix.Chdir(at); err != nil {
			return 0, fmt.Errorf("enter '%s', which the fence hides: %w", at, err)
		}
	}
	if err := giveUp(p, rules); err != nil {
		return 0, err
	}
	if err := dieWithParent(); err != nil {
		return 0, err
	}
	env := commandEnv()
	if os.Getenv(tryMark) != "" {
		return 0, nil
	}
	if p.Means.Namespaces {
		return supervise(argv, env, status)
	}
	return 0, fmt.Errorf("run '%s': %w", argv[0], unix.Exec(argv[0], argv, env))
}

func readPolicy() (p Policy, err error) {
	f := os.NewFile(policyFile, "policy")
	defer f.Close()
	text, err := io.ReadAll(f)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return p, fmt.Errorf("read the policy: %w", err)
	}
	return p, nil
}

func commandEnv() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, stageMark+"=") || strings.HasPrefix(kv, tryMark+"=")
	})
}

// dieWithParent has the kernel kill this process when the one that started it
// dies, which it may have done already: then nobody reads the status.
func dieWithParent() error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("bind the command to its parent: %w", err)
	}
	poll := []unix.PollFd{{Fd: statusFile}}
	if _, err := unix.Poll(poll, 0); err == nil && poll[0].Revents&unix.POLLERR != 0 {
		return errors.New("the parent has ended")
	}
	return nil
}
