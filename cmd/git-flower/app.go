package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// commands is the list of what the tool can do, in the order of the help.
func commands() []*command {
	return []*command{
		startCommand(),
		resumeCommand(),
		statusCommand(),
		logCommand(),
		showCommand(),
		statsCommand(),
		watchCommand(),
		sayCommand(),
		askCommand(),
		answerCommand(),
		editCommand(),
		handoffCommand(),
		stopCommand(),
		landCommand(),
		demoCommand(),
		doctorCommand(),
		helpCommand(),
		fsckCommand(),
		guardCommand(),
		versionCommand(),
	}
}

// run is the whole tool: it parses words, runs the command and returns the exit
// code.
func run(ctx context.Context, words []string, env *Env) int {
	err := env.begin(words)
	if err == nil {
		err = dispatch(ctx, env, words)
	}
	err = errors.Join(err, env.close())
	code := conclude(ctx, env, err)
	env.telling.ended(code, err)
	return code
}

func dispatch(ctx context.Context, env *Env, words []string) error {
	all := commands()
	words = rootWords(words)
	if words[0] == "--" { // the library would drop it and run the next word with its options unread
		return unknownCommand(all, words[0])
	}
	if c := find(all, words[0]); c != nil {
		options, args, err := permute(c, words[1:])
		switch {
		case errors.Is(err, errHelp):
			return c.printUsage(env.Out)
		case errors.Is(err, errManual):
			return c.printHelp(env.Out)
		case err != nil:
			return err
		}
		words = append(append([]string{c.name}, options...), append([]string{"--"}, args...)...)
	}
	return newApp(env, all).RunContext(ctx, append([]string{"git-flower"}, words...))
}

// rootWords turns the words that are no command into the command they stand for.
func rootWords(words []string) []string {
	if len(words) == 0 {
		return []string{"status"}
	}
	switch words[0] {
	case "-h", "--help":
		return append([]string{"help"}, words[1:]...)
	case "-v", "--version":
		return append([]string{"version"}, words[1:]...)
	}
	return words
}

func find(all []*command, name string) *command {
	for _, c := range all {
		if c.name == name {
			return c
		}
	}
	return nil
}

// newApp builds the library's tree from ours. What it does by itself is turned
// off one by one: its help commands (they would swallow an argument "help"),
// its printing of usage on standard output, its exiting, its splitting of values
// at commas. The root's action catches an unknown command, for which the library
// would exit 0.
func newApp(env *Env, all []*command) *cli.App {
	app := &cli.App{
		Name: "git-flower", Writer: env.Out, ErrWriter: env.Err, Reader: env.In,
		HideHelp: true, HideHelpCommand: true, HideVersion: true, DisableSliceFlagSeparator: true,
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return rootUsagef("unknown option '%s'", optionIn(err))
		},
		Action: func(c *cli.Context) error { return unknownCommand(all, c.Args().First()) },
	}
	for _, c := range all {
		app.Commands = append(app.Commands, c.forLibrary(env))
	}
	return app
}

func (c *command) forLibrary(env *Env) *cli.Command {
	lib := &cli.Command{
		Name: c.name, Usage: c.summary, UsageText: strings.Join(c.usageLines(), "\n"),
		HideHelp: true, HideHelpCommand: true,
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return c.usagef("%w", err) },
		Action: func(values *cli.Context) error {
			given := &call{command: c, args: values.Args().Slice(), values: values}
			if c.args >= 0 && len(given.args) > c.args {
				return c.usagef("too many arguments: '%s'", given.args[c.args])
			}
			if c.personal {
				if err := env.refuseInside(values.Context, c); err != nil {
					return err
				}
			}
			return c.run(values.Context, env, given)
		},
	}
	for _, o := range c.options {
		if o.value == "" {
			lib.Flags = append(lib.Flags, &cli.BoolFlag{Name: o.long})
			continue
		}
		lib.Flags = append(lib.Flags, &cli.StringFlag{Name: o.long})
	}
	return lib
}

// unknownCommand never guesses into work: it says what is near and ends.
func unknownCommand(all []*command, word string) error {
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	e := &endError{ending: endUsage, err: fmt.Errorf("'%s' is not a git flower command", word),
		hint: `"git flower help" lists the commands`}
	if near := nearest(word, names); near != "" {
		e.hint = fmt.Sprintf(`the most similar command is "git flower %s"`, near)
	} else if strings.ContainsAny(word, " \t\n") {
		e.hint = `to begin a run with these words, use "git flower start"; "git flower help" lists the commands`
	}
	return e
}

func rootUsagef(format string, args ...any) error {
	return &endError{ending: endUsage, err: fmt.Errorf(format, args...), hint: `"git flower help" lists the commands`}
}

// optionIn finds the option in the library's message, which shows every one with
// a single dash.
func optionIn(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": -"); i >= 0 {
		name := strings.TrimLeft(text[i+2:], "-")
		if len(name) > 1 {
			return "--" + name
		}
		return "-" + name
	}
	return text
}

// write prints text; an error of the stream is the command's error.
func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}
