package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// printMachine says where the figures come from.
func printMachine(ctx context.Context, out io.Writer, scratch string) error {
	git, err := program{name: "git"}.read(ctx, "", "version")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s/%s, %d CPUs, %s, %s\nscratch on %s; load at the start: %s\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), strings.TrimSpace(git), runtime.Version(),
		fileSystem(scratch), loadAverage())
	return err
}

// loadAverage is what Linux says of the last 1, 5 and 15 minutes.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	words := strings.Fields(string(data))
	if err != nil || len(words) < 3 {
		return "unknown"
	}
	return strings.Join(words[:3], " ")
}

// fileSystem is the kind of the mount that holds a folder. On one that lives in
// memory a sync costs nothing, and the synced rows say nothing.
func fileSystem(dir string) string {
	data, err := os.ReadFile("/proc/mounts")
	if err != nil {
		return "an unknown file system"
	}
	return mountOf(string(data), dir)
}

func mountOf(mounts, dir string) string {
	longest, kind := "", "an unknown file system"
	for line := range strings.Lines(mounts) {
		words := strings.Fields(line)
		if len(words) < 3 || len(words[1]) < len(longest) {
			continue
		}
		if under := strings.TrimSuffix(words[1], "/") + "/"; strings.HasPrefix(dir+"/", under) {
			longest, kind = words[1], words[2]
		}
	}
	return kind
}
