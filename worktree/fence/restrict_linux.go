package fence

import (
	"fmt"
	"syscall"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// giveUp takes away from this process and its children what the policy does not
// leave them.
func giveUp(p Policy, rules []rule) error {
	// The user's keys would come along. A kernel without keyrings has none.
	unix.Syscall(unix.SYS_KEYCTL, unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if p.Means.Landlock > 0 {
		if err := landlocked(p, rules); err != nil {
			return fmt.Errorf("restrict with Landlock: %w", err)
		}
	}
	if !p.Means.Namespaces {
		return nil
	}
	// The command's processes may not look into the one that watches them.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("close the supervisor: %w", err)
	}
	return dropCapabilities()
}

// landlocked applies what Landlock holds of the policy, up to what the version
// that was probed knows. UDP (ABI 10) stays open, since names are resolved with it.
func landlocked(p Policy, rules []rule) error {
	c := landlock.V9
	c.HandledAccessNet = 0
	allowed := []landlock.Rule{landlock.RODirs("/")}
	for _, dir := range changeable(p, rules) {
		r := landlock.RWDirs(dir).IgnoreIfMissing()
		if p.Means.Landlock >= 2 {
			r = r.WithRefer()
		}
		if p.Means.Landlock >= 9 {
			r = r.WithResolveUnix()
		}
		allowed = append(allowed, r)
	}
	allowed = append(allowed,
		landlock.RWFiles(append(plainDevices(), "/dev/ptmx")...).WithIoctlDev().IgnoreIfMissing(),
		landlock.RWDirs("/dev/pts").WithIoctlDev().IgnoreIfMissing())
	if len(p.Ports) > 0 {
		c.HandledAccessNet = ll.AccessNetConnectTCP
	}
	for _, port := range p.Ports {
		allowed = append(allowed, landlock.ConnectTCP(port))
	}
	return c.BestEffort().Restrict(allowed...)
}

// changeable are the folders that may be written to. What is kept for one
// command alone is there only where there is a mount namespace.
func changeable(p Policy, rules []rule) []string {
	var dirs []string
	for _, r := range rules {
		if r.Kind == writable || r.Kind == scratch && p.Means.Namespaces {
			dirs = append(dirs, r.Real)
		}
	}
	return dirs
}

func plainDevices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
}

// dropCapabilities gives up all rights in the namespaces, so that what was
// arranged stays as it is.
func dropCapabilities() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		err := everyThread(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0)
		if err != nil && err != unix.EINVAL { // an older kernel knows fewer
			return fmt.Errorf("drop capability %d: %w", c, err)
		}
	}
	err := everyThread(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0)
	if err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	err = everyThread(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&none)), 0)
	if err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}

// everyThread makes a call on all threads; in a binary with C in it on this one,
// of which the command is made.
func everyThread(trap, a1, a2, a3 uintptr) error {
	_, _, e := syscall.AllThreadsSyscall6(trap, a1, a2, a3, 0, 0, 0)
	if e == syscall.ENOTSUP {
		_, _, e = syscall.Syscall6(trap, a1, a2, a3, 0, 0, 0)
	}
	if e != 0 {
		return e
	}
	return nil
}
