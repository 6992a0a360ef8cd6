package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A memory is how much a process had resident when requests came, and how long the
// transcripts were. Only Linux tells.
type memory struct {
	sizes []size
	peak  int64 // of the largest of its processes
}

type size struct {
	request               int
	resident, transcripts int64 // bytes
}

func (m *memory) look(pid, request int, store string) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return
	}
	s := size{request: request, resident: statusField(string(status), "VmRSS:")}
	for _, name := range []string{store, store + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			s.transcripts += info.Size()
		}
	}
	m.sizes = append(m.sizes, s)
	m.peak = max(m.peak, statusField(string(status), "VmHWM:"))
}

// statusField is a figure of /proc/<pid>/status in bytes, 0 when it is not there.
func statusField(status, name string) int64 {
	for line := range strings.Lines(status) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == name {
			kib, _ := strconv.ParseInt(words[1], 10, 64) // none: 0
			return kib * 1024
		}
	}
	return 0
}

// at is the size when that part of all requests had come.
func (m *memory) at(part float64) size {
	if len(m.sizes) == 0 {
		return size{}
	}
	return m.sizes[min(len(m.sizes)-1, int(part*float64(len(m.sizes))))]
}

// noise is by how much the memory of a process that keeps nothing goes up and down, in
// bytes (measured over 4,000 requests: 62 to 66 MB).
const noise = 6e6

// flat returns an error when the process keeps what sessions said that are over: its
// memory grew from the second quarter to the last by more than half of what the
// transcripts did.
func (m *memory) flat() error {
	if len(m.sizes) < 40 {
		return nil
	}
	n := len(m.sizes)
	grown := median(m.sizes[n*3/4:]) - median(m.sizes[n/4:n/2])
	stored := m.at(0.875).transcripts - m.at(0.375).transcripts
	if grown > noise+stored/2 {
		return fmt.Errorf("memory grew by %d MB while %d MB were stored", grown/1e6, stored/1e6)
	}
	return nil
}

func median(sizes []size) int64 {
	var all []int64
	for _, s := range sizes {
		all = append(all, s.resident)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
