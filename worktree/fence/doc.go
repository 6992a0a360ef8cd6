// Package fence keeps a command inside a few folders, by means of the operating
// system and whatever the command does.
//
// A Policy says what a command may change and what it must not see; Means says
// what this machine can hold of it, which Probe finds out by trying. On Linux
// the command starts as a second mode of our own binary (Main), which fences
// itself in and then becomes the command, or its parent:
//
//   - Landlock: files are written, made, removed, renamed and cut off only below
//     the listed folders; nothing is mounted; no signal and no connection to an
//     abstract socket leaves the command (ABI 6); TCP connections go to listed
//     ports only, if any are listed (ABI 4).
//   - Namespaces of users, mounts, processes and System V objects: all else is
//     read-only, so that modes, owners and times hold as well; the home
//     directory, /run, /tmp and /var/tmp are empty but for what is listed, and
//     with them the sockets of agents and services; /dev holds plain devices and
//     terminals of its own; other processes are not there. When the parent dies,
//     everything the command started dies.
//
// Capabilities are dropped and none can be gained. On macOS the policy becomes a
// profile of sandbox-exec, which nobody has tried yet. Elsewhere nothing holds,
// and Means says so.
package fence
