//go:build flowertest

package worktree

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

var crashed struct {
	sync.Mutex
	seen map[string]int
}

// crashPoint kills the process when GIT_FLOWER_CRASH is "<name>:<n>" and this
// is the n-th time, counted from 1, that name is passed.
func crashPoint(name string) {
	at, nth, _ := strings.Cut(os.Getenv("GIT_FLOWER_CRASH"), ":")
	if at != name {
		return
	}
	crashed.Lock()
	defer crashed.Unlock()
	if crashed.seen == nil {
		crashed.seen = map[string]int{}
	}
	crashed.seen[name]++
	if n, err := strconv.Atoi(nth); err != nil || crashed.seen[name] == max(n, 1) {
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		select {}
	}
}
