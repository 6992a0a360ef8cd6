//go:build flowertest

package main

import (
	"os"
	"strconv"
	"time"
)

// now is the time, wrong by as many seconds as GIT_FLOWER_CLOCK says. Only the
// test build has it.
func now() time.Time {
	seconds, err := strconv.ParseInt(os.Getenv("GIT_FLOWER_CLOCK"), 10, 64)
	if err != nil {
		return time.Now()
	}
	return time.Now().Add(time.Duration(seconds) * time.Second)
}
