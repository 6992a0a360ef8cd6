package gitstate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Machine is the random name of this machine, 16 hex digits, made at its first
// use and kept in <StateHome>/git-flower/machine. It is never the host's name,
// which would travel with every record. Where it cannot be kept it is another
// one in each process, which does no more harm than a new machine.
func (s *Store) Machine() string {
	s.machine.once.Do(func() {
		s.machine.name = machineName(filepath.Join(s.config.StateHome, "git-flower", "machine"))
	})
	return s.machine.name
}

func machineName(file string) string {
	if name, ok := readMachine(file); ok {
		return name
	}
	name := randomID()
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = writeNew(file, name+"\n")
	}
	if errors.Is(err, os.ErrExist) {
		if other, ok := readMachine(file); ok {
			return other
		}
	}
	return name
}

func readMachine(file string) (string, bool) {
	data, err := os.ReadFile(file)
	name := strings.TrimSuffix(string(data), "\n")
	return name, err == nil && isMachine(name)
}
