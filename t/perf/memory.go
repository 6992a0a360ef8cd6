package main

import (
	"errors"
	"os"
	"strconv"
	"strings"
)

// peakMB is the most memory that this process had resident, in millions of
// bytes. Only Linux tells it of a process alone; what wait tells begins with the
// memory of whoever started it.
func peakMB() (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	return peakOf(string(status))
}

func peakOf(status string) (float64, error) {
	for line := range strings.Lines(status) {
		words := strings.Fields(line)
		if len(words) == 3 && words[0] == "VmHWM:" {
			kib, err := strconv.ParseFloat(words[1], 64)
			return kib * 1024 / 1e6, err
		}
	}
	return 0, errors.New("the kernel does not tell the peak of resident memory")
}
