package fence

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A part is a rule with the mount that will be put in its place.
type part struct {
	rule
	from string // what is mounted there; empty: an empty file system
	fd   int    // a copy of the mount at from, nowhere yet
	file bool
}

// arrange makes the mount namespace look as the policy says and returns the
// rules that hold in it. Everything is read-only but what is listed.
func arrange(p Policy, rules []rule) ([]rule, error) {
	parts := layout(p, rules)
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, fmt.Errorf("make mounts private: %w", err)
	}
	devices, err := copyDevices()
	if err != nil {
		return nil, err
	}
	for i := range parts {
		if err := parts[i].copy(); err != nil {
			return nil, err
		}
	}
	locked := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &locked); err != nil {
		return nil, fmt.Errorf("make mounts read-only: %w", err)
	}
	for _, p := range parts {
		if err := p.put(); err != nil {
			return nil, fmt.Errorf("put '%s' in place: %w", p.Path, err)
		}
	}
	if err := ownDevices(devices); err != nil {
		return nil, fmt.Errorf("make devices: %w", err)
	}
	if err := ownProcesses(); err != nil {
		return nil, fmt.Errorf("show processes: %w", err)
	}
	return append(settle(parts), rule{Real: "/dev/shm", Kind: scratch}), nil
}

// layout adds to the policy's rules what is so for every command: no sockets of
// services, and temporary folders of its own.
func layout(p Policy, rules []rule) []part {
	var parts []part
	for _, r := range rules {
		parts = append(parts, part{rule: r, from: r.Real, fd: -1})
	}
	add := func(path string, k kind, from string) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || slices.ContainsFunc(parts, func(p part) bool { return p.Real == real }) {
			return
		}
		parts = append(parts, part{rule: rule{path, real, k}, from: from, fd: -1})
	}
	if temp, err := filepath.EvalSymlinks(p.Temp); p.Temp != "" && err == nil {
		add("/tmp", writable, temp)
	}
	add("/tmp", scratch, "")
	add("/var/tmp", scratch, "")
	add("/run", hidden, "")
	for _, path := range []string{"/etc/resolv.conf", "/run/current-system", "/run/opengl-driver"} {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			add(path, seen, real)
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return strings.Compare(a.Real, b.Real) })
	for i := range parts {
		if parts[i].Kind == hidden || parts[i].Kind == scratch {
			parts[i].from = ""
		}
	}
	return slices.DeleteFunc(parts, func(p part) bool { return p.Kind == seen && !covered(parts, p.Real) })
}

// covered reports whether a path lies in one that is not just as the system has it.
func covered(parts []part, path string) bool {
	return slices.ContainsFunc(parts, func(p part) bool {
		return p.Kind != seen && p.Real != path && below(path, p.Real)
	})
}

// copy copies the mount while it can still be seen. No link is followed: the
// path has none, unless somebody has put one there meanwhile.
func (p *part) copy() error {
	if p.from == "" {
		return nil
	}
	at, err := unix.Openat2(unix.AT_FDCWD, p.from, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return fmt.Errorf("open '%s': %w", p.from, err)
	}
	defer unix.Close(at)
	var info unix.Stat_t
	if err := unix.Fstat(at, &info); err != nil {
		return fmt.Errorf("look at '%s': %w", p.from, err)
	}
	p.file = info.Mode&unix.S_IFMT != unix.S_IFDIR
	p.fd, err = unix.OpenTree(at, "", unix.AT_EMPTY_PATH|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return fmt.Errorf("copy the mount of '%s': %w", p.from, err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if p.Kind == seen {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(p.fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return fmt.Errorf("set up the mount of '%s': %w", p.from, err)
	}
	return nil
}

// put mounts the part at its place, which is made where all around is empty.
func (p part) put() error {
	if err := makePlace(p.Real, p.file); err != nil {
		return err
	}
	if p.from == "" {
		return unix.Mount("tmpfs", p.Real, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1g")
	}
	defer unix.Close(p.fd)
	return unix.MoveMount(p.fd, "", unix.AT_FDCWD, p.Real, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

func makePlace(path string, file bool) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if !file {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o644)
}

// settle gives listed paths the names back under which they were known, closes
// what stays empty and returns the rules.
func settle(parts []part) []rule {
	var rules []rule
	for _, p := range parts {
		if _, err := os.Lstat(p.Path); err != nil && os.MkdirAll(filepath.Dir(p.Path), 0o755) == nil {
			os.Symlink(p.Real, p.Path) // a name that cannot be given is one that is not seen
		}
		rules = append(rules, p.rule)
	}
	for _, p := range parts {
		if p.Kind == hidden {
			closed := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
			unix.MountSetattr(unix.AT_FDCWD, p.Real, 0, &closed) // it is empty and goes with the command
		}
	}
	return rules
}
