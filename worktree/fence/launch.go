package fence

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// A Launch is how a fenced command is started: what to run in its place.
type Launch struct {
	Path  string
	Args  []string   // with the name in front
	Env   []string   // to be added to the environment
	Files []*os.File // from descriptor 3 on

	status *os.File // says what went wrong, and ends when the command runs
}

// Cancel lets go of everything when the process could not be started.
func (l *Launch) Cancel() {
	l.closeFiles()
	if l.status != nil {
		l.status.Close()
	}
}

// Started is called when the process was started: it lets go of what only the
// child needs, and waits until the command itself runs. The error says why it
// does not; the process then ends by itself.
func (l *Launch) Started() error {
	l.closeFiles()
	if l.status == nil {
		return nil
	}
	said, err := io.ReadAll(io.LimitReader(l.status, 1<<12))
	l.status.Close()
	switch {
	case err != nil:
		return fmt.Errorf("hear from the fence: %w", err)
	case len(said) > 0:
		return fmt.Errorf("put up the fence: %w", errors.New(string(said)))
	}
	return nil
}

func (l *Launch) closeFiles() {
	for _, f := range l.Files {
		f.Close()
	}
	l.Files = nil
}
