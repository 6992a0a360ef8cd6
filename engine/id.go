package engine

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
)

// newSession makes a session's id.
func newSession() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return uuid(b)
}

// messageID is the id of a message that is about the given things: the same
// things, the same id, so that a crash cannot make it be said twice.
func messageID(about ...string) string {
	h := sha256.New()
	for _, a := range about {
		fmt.Fprintf(h, "%d:%s", len(a), a)
	}
	return uuid([16]byte(h.Sum(nil)[:16]))
}

func uuid(b [16]byte) string {
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
