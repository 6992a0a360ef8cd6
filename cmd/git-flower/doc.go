// Git-flower carries a piece of work that takes an agent hours inside a git
// repository. Installed on PATH it is called as "git flower".
//
// This package is the tool's surface and nothing else: it reads options and
// configuration, opens what the packages below offer, hands it in, and turns
// their errors into words and exit codes. The files divide it so:
//
//   - main.go and signal.go make the context that signals cancel, and exit;
//   - app.go holds the list of commands; a command is one file and one line there;
//   - command.go, parse.go and help.go say what a command is, how its words are
//     read and how its help looks;
//   - options.go and config.go declare each option, its configuration key and its
//     default once, as data;
//   - env.go is the only door to streams, terminal, pager and clock;
//   - exit.go is the only place that knows exit codes and prefixes;
//   - credentials.go finds the key for a model.
//
// Promises. Options may stand before or after arguments, up to "--". Help that
// was asked for goes to standard output and exits 0, usage errors go to standard
// error and exit 129. No command spends money unless its name says so. Text that
// a model or a repository wrote is cleaned before it reaches a terminal. Secrets
// are shown by their first four characters and their length. Every end but 0
// prints a hint with the next command.
package main
