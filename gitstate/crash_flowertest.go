//go:build flowertest

package gitstate

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// passed counts how often each place was passed. Only the test build has it.
var passed struct{ objects, ref atomic.Int64 }

// crash kills the process at the nth passing of a place that
// GIT_FLOWER_CRASH=<name>:<nth> names.
func crash(name string) {
	want, nth, _ := strings.Cut(os.Getenv("GIT_FLOWER_CRASH"), ":")
	count := &passed.objects
	if name == "append-after-ref" {
		count = &passed.ref
	}
	n := count.Add(1)
	if k, err := strconv.ParseInt(nth, 10, 64); want != name || err != nil || n != k {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // until the signal has come
}
