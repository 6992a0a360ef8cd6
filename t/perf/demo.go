package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// demoStats is what the child tells of one demo.
type demoStats struct {
	Wall, CPU time.Duration
	PeakMB    float64
}

// measureDemo measures the main job whole, with the strict scripted model in the
// same process.
func measureDemo(ctx context.Context, b *bench) ([]row, error) {
	var walls, cpus, peaks []float64
	for i := range b.rounds(3) {
		dir := filepath.Join(b.dir, fmt.Sprintf("demo-%d", i))
		out, err := program{name: b.self}.read(ctx, "", childWord, "demo", b.flower, dir)
		if err != nil {
			return nil, err
		}
		var s demoStats
		if err := json.Unmarshal([]byte(out), &s); err != nil {
			return nil, fmt.Errorf("read what the demo's parent said: %w", err)
		}
		if err := checkDemo(ctx, dir); err != nil {
			return nil, err
		}
		walls, cpus, peaks = append(walls, s.Wall.Seconds()), append(cpus, s.CPU.Seconds()), append(peaks, s.PeakMB)
	}
	return []row{
		figure("demo, from start to end", median(walls), 0, "s", "with git, the checks and the strict scripted model"),
		figure("its processor time", median(cpus), 0, "s", "with all that it starts"),
		figure("its peak memory", median(peaks), 0, "MB", "resident, of its largest process"),
	}, nil
}

// checkDemo makes sure that the run came to its goal.
func checkDemo(ctx context.Context, dir string) error {
	git := program{name: "git", dir: dir}
	tips, err := git.read(ctx, "", "for-each-ref", "--format=%(contents:trailers:key=Flower-State,valueonly)", "refs/flower/run/")
	if err != nil {
		return err
	}
	if strings.TrimSpace(tips) != "reached" {
		return fmt.Errorf("the demo ended '%.80s'", strings.TrimSpace(tips))
	}
	return nil
}

// childDemo runs one demo and prints what it used. This process is small, since
// what the kernel tells of a child is never less than its parent had.
func childDemo(ctx context.Context, flower, dir string, out io.Writer) error {
	cmd := exec.CommandContext(ctx, flower, "demo", "--timeout", "0", dir)
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return err
	}
	s := demoStats{Wall: time.Since(start), CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	var err error
	if s.PeakMB, err = peakOfChild(cmd.ProcessState); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(s)
}
