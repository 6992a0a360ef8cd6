package main

import (
	"context"
	_ "embed"
	"fmt"
)

// manual is the manual page. 'git flower --help' never reaches us, git runs man
// for it, so that the page must be installed: "git flower help --man" prints it.
//
//go:embed man/git-flower.1
var manual string

func helpCommand() *command {
	return &command{
		name: "help", group: everyday, summary: "explain a command, or list them",
		synopsis: []string{"[<command>]", "--man"},
		prose: `
Without a command, lists the commands. With one, explains it: what it does, its
options, its exit codes. "git flower <command> -h" is shorter.

With --man, prints the manual page, to be installed where man finds it:

    git flower help --man >~/.local/share/man/man1/git-flower.1

"git flower --help" then shows it.`,
		options: []option{{long: "man", text: "print the manual page"}},
		exits:   exits(),
		args:    1,
		run:     runHelp,
	}
}

func runHelp(_ context.Context, env *Env, c *call) error {
	all := commands()
	switch {
	case c.is("man"):
		return write(env.Out, manual)
	case len(c.args) == 0:
		return listCommands(env.Out, all)
	}
	asked := find(all, c.args[0])
	if asked == nil {
		return unknownCommand(all, c.args[0])
	}
	return asked.printHelp(env.Out)
}

// listBeside is what a bare "git flower" shows where there is no run.
func listBeside(env *Env, why string) error {
	if err := write(env.Out, fmt.Sprintf("%s\n\n", why)); err != nil {
		return err
	}
	return listCommands(env.Out, commands())
}
