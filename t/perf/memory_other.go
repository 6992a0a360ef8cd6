//go:build !linux

package main

import (
	"errors"
	"os"
	"time"
)

func usedSoFar() (time.Duration, float64, error) {
	return 0, 0, errors.New("peak memory is measured on Linux only")
}

func peakOfChild(*os.ProcessState) (float64, error) {
	return 0, errors.New("peak memory is measured on Linux only")
}
