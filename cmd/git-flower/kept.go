package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// optionsFile keeps the options a run was started with, so that resuming it
// does not surprise: a budget of five dollars stays one.
const optionsFile = "options.json"

// keepOptions writes down which settings were given on the command line.
func keepOptions(dir string, c *call) error {
	kept := map[string]string{}
	for _, s := range settings() {
		if s.long == "" {
			continue
		}
		if v, ok := c.setting(s.long); ok {
			kept[s.long] = v
		}
	}
	data, err := json.Marshal(kept)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, optionsFile), data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("keep the run's options: %w", err)
	}
	return nil
}

// keptOptions reads them; a run from another machine has none.
func keptOptions(dir string) (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, optionsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	kept := map[string]string{}
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil {
		return nil, fmt.Errorf("read the run's options: %w", err)
	}
	return kept, nil
}
