package fence

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// copyDevices copies the mounts of the plain devices that are there.
func copyDevices() (map[string]int, error) {
	fds := map[string]int{}
	for _, path := range plainDevices() {
		fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil {
			return nil, err
		}
		fds[path] = fd
	}
	return fds, nil
}

// ownDevices makes a /dev of plain devices, with terminals and shared memory of
// its own: in the system's there may be disks and the user's terminal.
func ownDevices(fds map[string]int) error {
	if err := unix.Mount("tmpfs", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=0755,size=64k"); err != nil {
		return err
	}
	for path, fd := range fds {
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			return err
		}
		if err := unix.MoveMount(fd, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return err
		}
		unix.Close(fd)
	}
	for name, to := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx",
	} {
		if err := os.Symlink(to, filepath.Join("/dev", name)); err != nil {
			return err
		}
	}
	return errors.Join(
		mountAt("devpts", "/dev/pts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"),
		mountAt("tmpfs", "/dev/shm", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777,size=1g"),
		unix.MountSetattr(unix.AT_FDCWD, "/dev", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}))
}

func mountAt(kind, path string, flags uintptr, options string) error {
	if err := os.Mkdir(path, 0o755); err != nil {
		return err
	}
	return unix.Mount(kind, path, kind, flags, options)
}

// ownProcesses mounts a /proc of the namespace, in which nothing can be set.
// Before that it lets nobody in it make user namespaces: in one of those a
// process has rights again, with which more of the kernel can be reached.
func ownProcesses() error {
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return err
	}
	// Where this cannot be set, what was mounted holds in those as well.
	os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
	return unix.MountSetattr(unix.AT_FDCWD, "/proc", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}
