package gitcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Git runs git commands in one place with one environment. It holds no state
// and may be copied.
type Git struct {
	dir    string
	env    []string
	global []string
}

// New returns a Git that runs in dir with the caller's environment.
func New(dir string) Git {
	return Git{dir: dir, env: append(os.Environ(), ours...)}
}

// Foreign returns a Git for a repository that the variables in env name
// (GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_OBJECT_DIRECTORY, …). Nothing that
// ties git to another repository is inherited, hooks and fsmonitor are off.
func Foreign(dir string, env ...string) Git {
	g := Git{dir: dir, env: append(WithoutLocal(os.Environ()), ours...)}
	g.env = append(g.env, env...)
	return g.With("core.fsmonitor=false", "core.hooksPath=/dev/null")
}

// In returns the same Git in another directory.
func (g Git) In(dir string) Git { g.dir = dir; return g }

// Env returns the same Git with more variables; later ones win.
func (g Git) Env(vars ...string) Git {
	g.env = append(g.env[:len(g.env):len(g.env)], vars...)
	return g
}

// Without returns the same Git without some variables of the environment.
func (g Git) Without(names ...string) Git {
	g.env = slices.DeleteFunc(slices.Clone(g.env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(names, name)
	})
	return g
}

// With returns the same Git with configuration on its command line, "key=value".
func (g Git) With(config ...string) Git {
	g.global = g.global[:len(g.global):len(g.global)]
	for _, c := range config {
		g.global = append(g.global, "-c", c)
	}
	return g
}

// Dir is where the commands run.
func (g Git) Dir() string { return g.dir }

// Read runs a command that changes nothing and returns its output.
func (g Git) Read(ctx context.Context, args ...string) ([]byte, error) {
	return g.output(ctx, nil, append([]string{"--no-optional-locks"}, args...))
}

// ReadIn is Read with something on standard input. Unless it is an *os.File, the
// call lasts until a read of it returns, also when git ended before.
func (g Git) ReadIn(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	return g.output(ctx, in, append([]string{"--no-optional-locks"}, args...))
}

// Line is Read for commands that print one line, returned without its newline.
func (g Git) Line(ctx context.Context, args ...string) (string, error) {
	out, err := g.Read(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// Write runs a command that may change the repository and returns its output.
func (g Git) Write(ctx context.Context, args ...string) ([]byte, error) {
	return g.output(ctx, nil, args)
}

// WriteIn is Write with something on standard input, read as ReadIn does.
func (g Git) WriteIn(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	return g.output(ctx, in, args)
}

func (g Git) output(ctx context.Context, in io.Reader, args []string) ([]byte, error) {
	cmd := g.command(ctx, args)
	cmd.Stdin = in
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	return out.Bytes(), failure(ctx, args, errs.String(), err)
}

func (g Git) command(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append(g.global[:len(g.global):len(g.global)], args...)...)
	cmd.Dir = g.dir
	cmd.Env = g.env
	detach(cmd)
	return cmd
}

// An Error is a git command that failed.
type Error struct {
	Args     []string
	ExitCode int    // -1 when it did not end by itself
	Stderr   string // whole
	Err      error
}

func (e *Error) Error() string {
	if said := strings.TrimSpace(e.Stderr); said != "" {
		return fmt.Sprintf("git %s: %s", e.name(), said)
	}
	return fmt.Sprintf("git %s: %v", e.name(), e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) name() string {
	for _, a := range e.Args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return strings.Join(e.Args, " ")
}

// ExitCode returns the exit code of a git command that failed, 0 for nil, and
// -1 for an error of another sort.
func ExitCode(err error) int {
	var e *Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.ExitCode
	}
	return -1
}

func failure(ctx context.Context, args []string, stderr string, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Args: args, ExitCode: -1, Stderr: stderr, Err: err}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		e.ExitCode = exit.ExitCode()
	}
	if ctx.Err() != nil {
		e.Err = errors.Join(ctx.Err(), err)
	}
	return e
}
