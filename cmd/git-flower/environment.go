package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"git-flower/gitstate"
	"git-flower/worktree/process"
)

// probes are the programs that checks most often begin with, and what makes
// them print their version; "" where that takes long or starts something.
func probes() [][2]string {
	return [][2]string{
		{"make", "--version"}, {"go", "version"}, {"node", "--version"}, {"npm", ""}, {"python3", "--version"}, {"pytest", ""},
		{"cargo", "--version"}, {"java", ""}, {"mvn", ""}, {"gradle", ""}, {"cc", "--version"}, {"cmake", "--version"},
		{"ruby", "--version"}, {"php", ""}, {"docker", ""}, {"jq", "--version"}, {"curl", ""},
	}
}

// environment tells whoever sets the goal what can be verified on this machine:
// the judge has no shell to look for itself.
func environment(ctx context.Context, store *gitstate.Store, base gitstate.ObjectID) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Platform: %s/%s, %d processors; nothing of another platform can run here\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Fprintf(&b, "Shell: commands of checks run with 'sh -c'%s, without a terminal, a display or a person; each may take ten minutes\n", otherShells())
	b.WriteString("Network: do not count on it, and let no check need it or a service that has to be started first\n")
	if git, err := store.Git().Line(ctx, "version"); err == nil {
		b.WriteString("Version control: " + git + "\n")
	}
	fmt.Fprintf(&b, "Tree: checks run in a fresh checkout of what is judged (the run began at %s): no ignored and no untracked files, nothing built or installed beforehand\n", base.Short())
	found, missing := programs(ctx)
	if len(found) > 0 {
		b.WriteString("Programs:\n- " + strings.Join(found, "\n- ") + "\n")
	}
	b.WriteString("Not on this machine: " + strings.Join(missing, ", "))
	return b.String()
}

// otherShells names the shells that a check can call besides sh.
func otherShells() string {
	var there []string
	for _, name := range []string{"bash", "zsh", "pwsh"} {
		if onPath(name) {
			there = append(there, name)
		}
	}
	if len(there) == 0 {
		return ""
	}
	return " (" + strings.Join(there, ", ") + " can be called)"
}

// programs finds what is on the PATH, with versions where they come at once, and
// what is not.
func programs(ctx context.Context) (found, missing []string) {
	all := probes()
	versions := make([]string, len(all))
	var asked sync.WaitGroup
	for i, p := range all {
		if onPath(p[0]) && p[1] != "" {
			asked.Go(func() { versions[i] = versionOf(ctx, p[0]+" "+p[1]) })
		}
	}
	asked.Wait()
	for i, p := range all {
		switch {
		case !onPath(p[0]):
			missing = append(missing, p[0])
		case versions[i] != "":
			found = append(found, p[0]+": "+versions[i])
		default:
			found = append(found, p[0])
		}
	}
	return found, missing
}

// versionOf is the first line that a command prints, outside of any project so
// that none changes what is called; "" when it takes more than a second.
func versionOf(ctx context.Context, command string) string {
	r, err := process.Run(ctx, process.Command{
		Script: command, Dir: os.TempDir(), Env: append(process.Env(), "GOTOOLCHAIN=local"), Timeout: time.Second, Limit: 1000,
	})
	if err != nil || r.ExitCode != 0 || r.TimedOut {
		return ""
	}
	return cut(firstLine(sanitise(r.Output)), 80)
}

// onPath looks for a program without starting it.
func onPath(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
