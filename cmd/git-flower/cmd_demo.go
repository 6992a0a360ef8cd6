package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"git-flower/gitstate/gitcmd"
)

// demoFiles are the scratch repository of the demo: a small program with a
// failing test.
//
//go:embed demo/*
var demoFiles embed.FS

// demoRequest is what the demo asks for.
const demoRequest = "Add a --json option to ./list"

// demoTimeout is how long the demo waits for an answer, so that it ends well
// under a minute when nobody is there.
const demoTimeout = "10s"

func demoCommand() *command {
	return &command{
		name: "demo", group: everyday, args: 1,
		summary:  "show the main job in a scratch repository, without a key",
		synopsis: []string{"[<options>] [<directory>]"},
		prose: `Makes a scratch repository with a small program and a failing test, and has the
failing test seen to: a question, a brief, a goal, a worker in a tree of its own,
a judge who rejects the first round because a test really fails, a second round,
the end. A scripted model plays; everything else is real. It needs no key, costs
nothing and takes a few seconds. Killed at any moment, it goes on with
"git flower resume" in the scratch repository, or with "git flower demo <directory>".`,
		options: append(settingOptions("timeout", "harness"), jsonOption()),
		exits:   exits(1, 2, 3, 75),
		run:     runDemo,
	}
}

func runDemo(ctx context.Context, env *Env, c *call) error {
	dir, err := demoDirectory(env, c.arg(0))
	if err != nil {
		return err
	}
	begun, err := demoBegun(dir)
	if err != nil {
		return err
	}
	if !begun {
		if err := makeDemo(ctx, dir); err != nil {
			return err
		}
	}
	there := *env // the same streams in the scratch repository
	there.Dir = dir
	there.store, there.config, there.read = nil, nil, false
	w, script, err := openDemo(ctx, &there, c)
	if err != nil {
		err = errors.Join(err, there.close())
		if c.arg(0) == "" { // nobody asked for a directory, and there is no run in it
			err = errors.Join(err, os.RemoveAll(dir))
		}
		return err
	}
	return errors.Join(w.driveDemo(ctx, c, script), there.close())
}

// openDemo readies what drives the demo's run; all that refuses it is in here.
func openDemo(ctx context.Context, env *Env, c *call) (*wake, []byte, error) {
	config, err := demoConfig(ctx, env, c)
	if err != nil {
		return nil, nil, err
	}
	store, err := env.StoreFor(ctx, config)
	if err != nil {
		return nil, nil, err
	}
	script, err := readScript(env, "demo")
	if err != nil {
		return nil, nil, err
	}
	w := &wake{env: env, config: config, store: store, json: c.is("json")}
	w.source, err = env.source(ctx, config, script)
	return w, script, err
}

// driveDemo begins the demo's run, or goes on with the one that is there.
func (w *wake) driveDemo(ctx context.Context, c *call, script []byte) error {
	if w.json {
		return w.beginOrGoOn(ctx, c, script)
	}
	intro := fmt.Sprintf("The scratch repository is %s\nKilled? \"git flower resume\" there goes on, and so does this command with that directory.", w.env.Dir)
	if err := write(w.env.Out, w.env.look(ctx).fold(intro, 0)+"\n\n"); err != nil {
		return err
	}
	if err := w.beginOrGoOn(ctx, c, script); err != nil {
		return err
	}
	return w.epilogue(ctx)
}

// demoConfig is the configuration as the demo has it: it waits for a short while,
// and stays in front.
func demoConfig(ctx context.Context, env *Env, c *call) (Config, error) {
	entries, err := env.entries(ctx)
	if err != nil {
		return Config{}, err
	}
	config, err := newConfig(entries, env.lookup, func(long string) (string, bool) {
		if v, ok := c.setting(long); ok || long != "timeout" {
			return v, ok
		}
		return demoTimeout, true
	})
	config.Waits, config.Detach = c.given("timeout"), false
	return config, err
}

func (w *wake) beginOrGoOn(ctx context.Context, c *call, script []byte) error {
	all, err := w.store.Runs(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		if err := w.canBegin(ctx); err != nil {
			return err
		}
		return w.begin(ctx, c, demoRequest, script)
	}
	if w.run, err = w.store.Run(ctx, all[0].Name); err != nil {
		return err
	}
	return w.goOn(ctx)
}

// epilogue prints the story as git tells it, and what a newcomer can do next.
func (w *wake) epilogue(ctx context.Context) error {
	ref := "flower/run/" + w.run.Name()
	story, err := w.store.Git().Read(ctx, "log", "--reverse", "--abbrev=12", "--format=%h %s", ref, "--")
	if err != nil {
		return err
	}
	l, look := w.store.Layout(), w.env.look(ctx)
	return write(w.env.Out, fmt.Sprintf(`
%[7]s

%[2]s
Look around:

  cd '%[3]s'
  git log %[1]s
  git show %[1]s:goal.md
  git diff flower/base/%[4]s flower/join/%[4]s
  git flower status
  git flower land --rehearsed

Clean up:

  rm -rf '%[3]s' '%[5]s'
%[6]s`, ref, look.clip(sanitise(string(story))), l.TopLevel, w.run.Name(), l.State, onPathHint(),
		look.fold(fmt.Sprintf("The story, as plain git tells it (\"git log %s\" has the documents too):", ref), 0)))
}

// onPathHint tells how "git flower" comes to work, where it does not yet.
func onPathHint() string {
	if onPath("git-flower") {
		return ""
	}
	return `
"git flower" is not on PATH yet; in the folder of its source:

  go install ./cmd/git-flower
  export PATH="$PATH:$(go env GOPATH)/bin"
`
}

// demoDirectory is the named directory, else a new one among the temporary files.
func demoDirectory(env *Env, name string) (string, error) {
	if name == "" {
		dir, err := os.MkdirTemp("", "git-flower-demo-")
		if err != nil {
			return "", fmt.Errorf("make a scratch directory: %w", err)
		}
		return filepath.EvalSymlinks(dir)
	}
	dir := env.path(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the scratch directory: %w", err)
	}
	return dir, nil
}

// demoBegun reports whether a directory holds the demo already. One with
// anything else in it is left alone.
func demoBegun(dir string) (bool, error) {
	list, err := os.ReadDir(dir)
	if err != nil || len(list) == 0 {
		return false, err
	}
	if _, err := os.Stat(filepath.Join(dir, ".git", demoMark)); err == nil {
		return true, nil
	}
	return false, endf(endFatal, "name an empty directory, or none", "'%s' is not empty and no demo", dir)
}

// demoMark is a file in the scratch repository's git directory, written when
// the repository is whole.
const demoMark = "flower-demo"

// makeDemo writes the scratch repository. Its identity is its own, so that the
// demo works where git knows none.
func makeDemo(ctx context.Context, dir string) error {
	err := fs.WalkDir(demoFiles, "demo", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := demoFiles.ReadFile(name)
		if err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if base := path.Base(name); base == "list" || base == "test.sh" {
			mode = 0o755
		}
		return os.WriteFile(filepath.Join(dir, path.Base(name)), data, mode)
	})
	if err != nil {
		return fmt.Errorf("write the scratch repository: %w", err)
	}
	git := gitcmd.Foreign(dir)
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "Demo"},
		{"config", "user.email", "demo@localhost"},
		{"add", "."},
		{"commit", "-q", "-m", "list: print the reading list", "-m", "The tests ask for --json, which is not there yet."},
	} {
		if _, err := git.Write(ctx, args...); err != nil {
			return fmt.Errorf("make the scratch repository: %w", err)
		}
	}
	return os.WriteFile(filepath.Join(dir, ".git", demoMark), []byte(time.Now().Format(time.RFC3339)+"\n"), 0o644)
}
