// Package process runs one shell command for a model or for a check, and ends
// with it everything that the command started.
//
// A command gets a shell of its own in a session of its own without a terminal, nothing on
// standard input, and exactly the environment it is given; Env makes a clean
// one. Standard output and error are one stream. Of that stream the head and
// the tail are kept, up to a limit; the rest is counted and hashed as it flies
// past, so that a flood costs no memory.
//
// Run returns when the shell has ended, its time is up or the context ends, and
// only after everything it left behind has been asked to end (SIGTERM) and,
// after a grace of two seconds, made to end (SIGKILL). A server started with
// '&' that keeps the output open does not hold up the return.
//
// Start is for a server or a watcher: the command goes on beside its caller, and
// the newest part of what it prints can be read meanwhile. It has ended, with
// everything it left behind, when its shell has, when End is called or when the
// context ends; whoever starts one calls End.
//
// Open starts a program that is talked with over its standard input and output. It
// ends when End is called, and on Linux when this process dies.
//
// What "everything" means depends on the system:
//
//   - Linux: all processes of the command's session, all that carry the
//     variable by which Run marks the environment, and all descendants of
//     these, found in /proc. Only a process that has left the session, cleared
//     its environment and outlived its parents gets away.
//   - Other Unix systems: the process group of the shell. A process that makes
//     a session or a group of its own ('setsid', job control) gets away.
//   - Windows: the shell alone.
//
// A killed program of ours ends nothing: the commands it ran go on. The next one
// calls EndLeft before it uses their directory.
package process
