package fence

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// secondMode is the name under which our binary fences itself in.
const secondMode = "git-flower-fence"

// stageMark tells a process of the second mode in which nobody called Main, such
// as a test binary, from one that may start others.
const stageMark = "FLOWER_FENCE_STAGE"

// Descriptors of the second mode.
const (
	policyFile = 3
	statusFile = 4
)

// Probe finds out what holds a policy here. It starts one process.
func Probe(ctx context.Context) Means {
	m := Means{Namespaces: true}
	if abi, err := ll.LandlockGetABIVersion(); err == nil {
		m.Landlock = abi
	}
	if err := (Policy{Means: m}).try(ctx); err != nil {
		m.Namespaces, m.NoNamespaces = false, err.Error()
	}
	return m
}

// try puts up a fence around a command that does nothing.
func (p Policy) try(ctx context.Context) error {
	l, err := p.Wrap([]string{"/proc/self/exe"})
	if err != nil {
		return err
	}
	attr := &syscall.SysProcAttr{}
	p.Attr(attr)
	child, err := os.StartProcess(l.Path, l.Args, &os.ProcAttr{
		Dir: "/", Env: append(l.Env, tryMark+"=1"), Files: append([]*os.File{nil, nil, nil}, l.Files...), Sys: attr,
	})
	if err != nil {
		l.Cancel()
		return err
	}
	defer context.AfterFunc(ctx, func() { child.Kill() })()
	err = l.Started()
	_, failed := child.Wait()
	return errors.Join(err, failed)
}

// tryMark asks for no command at all.
const tryMark = "FLOWER_FENCE_TRY"

// Wrap returns how argv is started under the policy; argv[0] is a path. What is
// started needs Attr as well. Each Launch is for one process.
func (p Policy) Wrap(argv []string) (*Launch, error) {
	if os.Getenv(stageMark) != "" {
		return nil, errors.New("this program does not know the second mode of the fence")
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write the policy of the fence: %w", err)
	}
	policy, err := inMemory(text)
	if err != nil {
		return nil, fmt.Errorf("write the policy of the fence: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		policy.Close()
		return nil, err
	}
	return &Launch{
		Path: "/proc/self/exe", Args: append([]string{secondMode}, argv...),
		Env: append(p.Env[:len(p.Env):len(p.Env)], stageMark+"=1"), Files: []*os.File{policy, w}, status: r,
	}, nil
}

// inMemory is a file that no other process finds.
func inMemory(text []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("policy", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "policy")
	if _, err = bytes.NewReader(text).WriteTo(f); err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Attr adds what the process of a Launch is started with: the namespaces, in
// which it has the user's number and, until the fence is up, the rights to
// arrange them.
func (p Policy) Attr(a *syscall.SysProcAttr) {
	if !p.Means.Namespaces {
		return
	}
	a.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_RESOURCE}
}
