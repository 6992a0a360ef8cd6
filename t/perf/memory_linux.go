package main

import (
	"fmt"
	"os"
	"syscall"
)

// peakOfChild is the most memory that a process, or one that it waited for, had
// resident, in millions of bytes.
func peakOfChild(p *os.ProcessState) (float64, error) {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, fmt.Errorf("no usage of process %d", p.Pid())
	}
	return float64(usage.Maxrss) * 1024 / 1e6, nil
}
