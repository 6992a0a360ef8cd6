package process

import "fmt"

// A Holder is a process that works in a directory.
type Holder struct {
	PID  int
	Name string // of its program
}

func (h Holder) String() string { return fmt.Sprintf("process %d ('%s')", h.PID, h.Name) }
