package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// key is what the model wants; it opens nothing else.
const key = "sk-ant-marathon-0123456789"

// name is the run's.
const name = "marathon"

// A driver starts the binary that is on the PATH, kills it where the plan says so, and
// has it go on.
type driver struct {
	dir, endpoint, harness string
	r                      *recorder
	memory                 memory

	mu    sync.Mutex
	kills []kill // to come
	cmd   *exec.Cmd
}

// run is the run from its start to its end.
func (d *driver) run(ctx context.Context) error {
	settings := []string{"--timeout", "0", "--budget", "none", "--harness", d.harness}
	args := slices.Concat([]string{"start", "--name", name}, settings, []string{"an editor"})
	for {
		left := d.left()
		err := d.wake(ctx, args)
		if err == nil || d.left() == left {
			return err
		}
		d.r.restarted()
		args = slices.Concat([]string{"resume"}, settings, []string{name})
	}
}

func (d *driver) left() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.kills)
}

// wake is one process of the run.
func (d *driver) wake(ctx context.Context, args []string) error {
	cmd := flower(ctx, d.dir, d.endpoint, args...)
	cmd.Stdout = io.Discard
	d.mu.Lock()
	err := cmd.Start()
	d.cmd = cmd
	d.mu.Unlock()
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		return fmt.Errorf("git flower %s: %w", args[0], err)
	}
	return nil
}

// at looks at the process when a request comes or is answered, and kills it if this is
// where the plan says so.
func (d *driver) at(n int, s *seen, answered bool) (killed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !answered {
		d.memory.look(d.cmd.Process.Pid, n, filepath.Join(d.dir, ".git", "flower", "session.db"))
	}
	if len(d.kills) == 0 || !d.r.asks(d.kills[0], n, s, answered) {
		return false
	}
	d.kills = d.kills[1:]
	if err := d.cmd.Process.Kill(); err != nil {
		fmt.Fprintln(os.Stderr, "marathon: kill:", err)
		return false
	}
	return true
}

// files is how many a repository holds to be read.
const files = 260

// repository makes one whose run knows the windows of a gateway that gives less than
// the models have: what an earlier overflow has taught, by endpoint and model.
func repository(ctx context.Context, dir, endpoint string, windows map[string]int64) error {
	if err := os.MkdirAll(filepath.Join(dir, "lib"), 0o755); err != nil {
		return err
	}
	for i := range files {
		text := ""
		for line := range 40 {
			text += fmt.Sprintf("line %d of part %d, with words\n", line, i)
		}
		if err := os.WriteFile(filepath.Join(dir, "lib", fmt.Sprintf("part-%d.txt", i)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "base"},
		{"config", "flower.model", mainModel}, {"config", "flower.worker.model", workerModel}, {"config", "flower.headroom", fmt.Sprint(headroom)},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("git %s: %w", args[0], err)
		}
	}
	return teach(stateHome(dir), endpoint, windows)
}

// stateHome is a place for local state beside the repository: the lessons there are
// for this run alone.
func stateHome(dir string) string { return dir + ".state" }

// teach writes the lessons as an overflow leaves them: by the endpoint's host, a sum of
// its address, and the model. Where that is another form by now, nobody hands over,
// which is an error of the run.
func teach(home, endpoint string, windows map[string]int64) error {
	sum := sha256.Sum256([]byte(endpoint))
	place := fmt.Sprintf("%s#%x", strings.TrimPrefix(endpoint, "http://"), sum[:6])
	type lesson struct {
		Window int64     `json:"window"`
		At     time.Time `json:"at"`
	}
	lessons := map[string]lesson{}
	for model, window := range windows {
		lessons[place+"|"+model] = lesson{window, time.Now().UTC()}
	}
	data, err := json.Marshal(lessons)
	if err != nil {
		return err
	}
	folder := filepath.Join(home, "git-flower")
	return errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "windows.json"), data, 0o600))
}

// flower is a command of the binary that is on the PATH.
func flower(ctx context.Context, dir, endpoint string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git-flower", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+stateHome(dir), "ANTHROPIC_API_KEY="+key, "ANTHROPIC_BASE_URL="+endpoint)
	return cmd
}
