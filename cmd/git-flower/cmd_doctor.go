package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-flower/engine/harness/claude"
	"git-flower/gitstate"
	"git-flower/gitstate/gitcmd"
	"git-flower/worktree/fence"
)

func doctorCommand() *command {
	return &command{
		name: "doctor", group: everyday,
		summary:  "show what is here, and what holds workers' commands",
		synopsis: []string{"[--json]"},
		prose: `Looks at what a run needs and uses here: git, the repository and how its objects
are written, what the fence around workers' commands holds and what it does not,
the repository's pack, where a key was found (never the key), the Claude Code CLI
and which harness is used and why, the folder of local state and the space that is
left there. Nothing is changed, no model is asked.

Ends with 1 when something would keep a run from beginning.`,
		options: []option{jsonOption()},
		exits:   exits(1),
		run:     runDoctor,
	}
}

// A finding is one thing that doctor looked at.
type finding struct {
	Topic   string `json:"topic"`
	Found   string `json:"found"`
	Problem string `json:"problem,omitempty"` // what is wrong with it
	Hint    string `json:"hint,omitempty"`    // what to do about that

	Holds []fence.Hold `json:"holds,omitempty"` // of the fence
	Notes []string     `json:"notes,omitempty"` // of the pack, and of a learned window
}

func runDoctor(ctx context.Context, env *Env, c *call) error {
	d := &doctor{env: env}
	for _, look := range []func(context.Context){d.git, d.repository, d.pack, d.fence, d.credentials, d.harness, d.state} {
		look(ctx)
	}
	print := func() error { return d.print(env.look(ctx)) }
	if c.is("json") {
		print = d.printJSON
	}
	if err := print(); err != nil {
		return err
	}
	for _, f := range d.found {
		if f.Problem != "" {
			return endf(endNo, f.Hint, "%s: %s", f.Topic, f.Problem)
		}
	}
	return nil
}

// A doctor gathers findings.
type doctor struct {
	env    *Env
	config Config
	store  *gitstate.Store // nil outside of a repository
	login  *login          // of the CLI, when there is no key
	found  []finding
}

func (d *doctor) add(f finding) { d.found = append(d.found, f) }

func (d *doctor) git(ctx context.Context) {
	f := finding{Topic: "git"}
	version, err := d.env.git().CheckVersion(ctx)
	if f.Found = fmt.Sprintf("%v", version); err != nil {
		f.Problem, f.Hint = err.Error(), fmt.Sprintf("install git %d.%d or newer", gitcmd.Oldest.Major, gitcmd.Oldest.Minor)
	}
	d.add(f)
	entries, err := d.env.entries(ctx)
	if err == nil {
		d.config, err = newConfig(entries, d.env.lookup, func(string) (string, bool) { return "", false })
	}
	if err != nil {
		d.add(finding{Topic: "settings", Found: "cannot be read", Problem: err.Error(), Hint: "correct it there"})
	}
}

func (d *doctor) repository(ctx context.Context) {
	f := finding{Topic: "repository"}
	store, err := d.env.Store(ctx)
	if err != nil {
		f.Found = "none here"
		if !errors.Is(err, gitstate.ErrNotRepository) {
			f.Problem, f.Hint = wording(err), "\"git status\" tells more"
		}
		d.add(f)
		return
	}
	d.store = store
	l := store.Layout()
	words := []string{l.CommonDir, l.ObjectFormat}
	if l.Bare {
		words = append(words, "bare")
	}
	if l.GitDir != l.CommonDir {
		words = append(words, "linked worktree")
	}
	writer, err := store.ObjectPath(ctx)
	if err != nil {
		f.Problem, f.Hint = err.Error(), "\"git config --list\" tells more"
	}
	f.Found = strings.Join(append(words, "objects written by "+writer), ", ")
	d.add(f)
}

func (d *doctor) fence(ctx context.Context) {
	means := fence.Probe(ctx)
	f := finding{Topic: "fence", Found: means.Words() + whyNot(means) + "; flower.fence is " + d.config.Fence.String(), Holds: means.Holds()}
	if !d.config.Isolate {
		f.Found += "; " + inPlaceLeft(means)
	}
	if d.config.Fence == fence.Require && !means.Full() {
		f.Problem, f.Hint = "flower.fence is require, which this machine cannot hold", "\"git config flower.fence auto\" goes on with what holds"
	}
	d.add(f)
}

// inPlaceLeft says what workers that edit the checkout itself may do to its git
// directory.
func inPlaceLeft(m fence.Means) string {
	if m.Namespaces {
		return "workers edit the checkout itself and can change its branches, and plant a commondir that is moved away only after the command"
	}
	return "workers edit the checkout itself and can change its whole git directory, hooks and configuration too"
}

func (d *doctor) credentials(ctx context.Context) {
	f := finding{Topic: "key"}
	c, err := d.env.findCredentials(ctx)
	d.login = c.Login
	switch {
	case err != nil:
		f.Found, f.Problem = "none", "no model can be reached without one"
		f.Hint = asEnding(err).hint
	case c.Login != nil:
		f.Found = "none, but a login of the Claude Code CLI from " + c.Source + "; workers' commands can read its token, with a key they cannot"
	case c.APIKey != "":
		f.Found = "a key from " + c.Source
	default:
		f.Found = "a token from " + c.Source
	}
	if err == nil {
		e := endpoint{credentials: c, config: d.config, now: d.env.Now, learned: d.env.windowsFile()}
		if learned := e.windows().words(e.model()); learned != "" {
			f.Notes = append(f.Notes, oneLine(e.model())+": "+learned)
		}
	}
	d.add(f)
}

func (d *doctor) harness(ctx context.Context) {
	cli, missing := d.env.findCLI(ctx, d.config)()
	f := finding{Topic: "harness"}
	choice, err := chooseHarness(d.config.Harness, false, func() (claude.CLI, error) { return cli, missing })
	switch {
	case err != nil:
		f.Found = "claude, which cannot be used"
	case choice.name == harnessClaude:
		f.Found = fmt.Sprintf("claude: sessions in the Claude Code CLI, since %s", choice.why)
	default:
		f.Found = fmt.Sprintf("messages: our own loop on the Messages API, since %s", choice.why)
	}
	f.Found += "; flower.harness is " + string(d.config.Harness)
	if missing == nil {
		f.Found += fmt.Sprintf("; '%s' is Claude Code %v, from %v on it does what is needed", cli.Path, cli.Version, claude.Oldest)
	}
	if err == nil && d.login != nil && choice.name != harnessClaude {
		err = choice.needsKey(d.login, d.config.Harness)
	}
	if err != nil {
		f.Problem, f.Hint = err.Error(), asEnding(err).hint
	}
	d.add(f)
}

func (d *doctor) state(context.Context) {
	f := finding{Topic: "state"}
	if d.store == nil {
		home, err := d.env.stateHome()
		f.Found = filepath.Join(home, "git-flower")
		if err != nil {
			f.Problem = err.Error()
		}
	} else {
		f.Found = d.store.Layout().State
	}
	f.measure()
	d.add(f)
}

// measure says what space is left where a folder is or will be.
func (f *finding) measure() {
	dir := f.Found
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	left, ok := spaceLeft(dir)
	if !ok {
		return
	}
	f.Found += fmt.Sprintf(", %.1f GiB free", float64(left)/(1<<30))
	if left < scarce {
		f.Problem, f.Hint = "the disk is full", "make space there"
	}
}

func (d *doctor) print(l look) error {
	var b strings.Builder
	for _, f := range d.found {
		fmt.Fprintf(&b, "%-11s %s\n", f.Topic, l.fold(oneLine(f.Found), 12))
		var holds, open strings.Builder
		for _, note := range f.Notes {
			fmt.Fprintf(&b, "    %s\n", note)
		}
		for _, h := range f.Holds {
			if h.By != "" {
				fmt.Fprintf(&holds, "    holds   %s\n", l.fold(h.What+": "+h.By, 12))
			} else {
				fmt.Fprintf(&open, "    open    %s\n", l.fold(h.What+": it would take "+h.Need, 12))
			}
		}
		b.WriteString(holds.String() + open.String())
	}
	return write(d.env.Out, b.String())
}

func (d *doctor) printJSON() error {
	for _, f := range d.found {
		if err := jsonLine(d.env.Out, f); err != nil {
			return err
		}
	}
	return nil
}
