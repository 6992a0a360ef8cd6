package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// usedSoFar is the processor time of this process and of those that it has waited
// for, and the peak memory of the largest of them, in millions of bytes.
func usedSoFar() (cpu time.Duration, peak float64, err error) {
	var self, children syscall.Rusage
	if err := errors.Join(syscall.Getrusage(syscall.RUSAGE_SELF, &self), syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children)); err != nil {
		return 0, 0, err
	}
	for _, t := range []syscall.Timeval{self.Utime, self.Stime, children.Utime, children.Stime} {
		cpu += time.Duration(t.Nano())
	}
	return cpu, float64(children.Maxrss) * 1024 / 1e6, nil
}

// peakOfChild is the most memory that a process, or one that it waited for, had
// resident, in millions of bytes.
func peakOfChild(p *os.ProcessState) (float64, error) {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, fmt.Errorf("no usage of process %d", p.Pid())
	}
	return float64(usage.Maxrss) * 1024 / 1e6, nil
}
