package process

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// markPrefix begins the names of the variables by which a command's processes
// are found again. Each command has a name of its own, so that the marks of a
// program that runs commands inside a command add up. Its value is the directory
// in which the command was started.
const markPrefix = "FLOWER_COMMAND_"

func newMark() string {
	var b [8]byte
	rand.Read(b[:])
	return markPrefix + hex.EncodeToString(b[:])
}

// marks are the values of the marks in an environment.
func marks(env []string) []string {
	var all []string
	for _, kv := range env {
		if key, at, _ := strings.Cut(kv, "="); strings.HasPrefix(key, markPrefix) {
			all = append(all, at)
		}
	}
	return all
}
