// Package gitstate keeps the records of runs as commits on refs of git.
//
// This page is the format, version 1. Everything in it can be read with plain
// git; 'git flower fsck' has one check for each numbered promise, P1 to P24.
//
// # Refs
//
//	refs/flower/run/<name>            the records of a run
//	refs/flower/base/<name>           the commit that the run started from
//	refs/flower/join/<name>           the workers' merged result so far
//	refs/flower/work/<name>/<worker>  what a worker has made that is not in the join
//
// P1: a name is lower-case ASCII letters, digits and '-', at most 48, beginning
// and ending with a letter or digit. P2: a run's ref points at a commit directly;
// it is neither symbolic nor at a tag, a tree or a blob. P3: its base, if there is
// one, is a commit, and fixed; what stands under work are commits, each at a
// worker's name. Every ref only moves forward, by compare-and-swap,
// with a reflog. A record and the refs that it names move in one transaction.
//
// While a worker works, its ref follows the snapshots of its working tree, without a
// record. A snapshot's parents are the one before it and the worker's own commits;
// its message lists what it does not hold and ends with the worker's HEAD as
// Flower-Tip:. The ref goes with the report that has all of it in the join.
//
// # Records
//
// A record is one commit. Its tree holds every document of the run so far and its
// message repeats the newest one, so that 'git log flower/run/<name>' tells the
// story. P4: the first record is a request, and it is the only one without a parent.
// P5: every record carries the same run id, 16 hex digits, in Flower-Run: that is
// the run's identity, the name is only for people. P6: no record is older than its
// parents. P7: the commit has no headers but tree, parent, author and committer, and
// author and committer are the same. A commit with two parents or more unites
// histories of one run; it is a record of kind "notice".
//
// P8: the message has one encoding, the one this package prints:
//
//	<kind>: <what happened, one line, at most 72 columns>
//
//	    the document's body, each line that is not empty indented by four
//	    blanks, so that no line of it can be taken for a trailer, a scissors
//	    line, a comment or the end of the message
//
//	Flower-Run: 0123456789abcdef
//	Flower-Kind: <kind>
//	Flower-…
//	Flower-Format: 1
//
// A body over 16 KiB is cut there at the end of a line (in a longer line, of a
// character), and a last line points at the document in the tree. Text is clean
// before it is recorded: no control characters but tab and newline, no bidirectional
// overrides, valid UTF-8, no trailing blanks, no blank lines around it.
//
// P9: trailers stand in the order Run, Kind, Step, Label, Round, Worker, Session,
// Machine, Harness, Model, Code, Tip, Call, Index, State, Cost, Wake, From, Replaces,
// Time, Rehearsed, Options, unknown ones as they came, Format; only those that apply, each
// once, one line each. Round and Index are decimal; Code and Tip are full object
// ids; Cost is US dollars with six decimals; From and Replaces are names of documents
// with a blank between; Rehearsed is "yes"; Options, of a request, are words such as
// "rounds=5 jobs=2 asks=unlimited budget=2.500000 goal=no clarify-only=yes isolate=no": those
// that were given, in this order; asks may be a number, budget "none";
// a plugin=<tree> at their end is the pack that the run keeps, a tree within the commit that it
// starts from. P10: the format is 1. A greater one is
// of a newer version of this program: it is named and nothing is written.
// Unknown kinds and trailers are kept and shown.
//
// # Documents
//
// P11: the tree holds documents, ledger/, lineage/, bench/, brief.md and goal.md, and
// nothing else. A document is a file <kind folder>/<counter>-<hash>.md; the folder is
// the kind's plural, the counter has four digits or more, the hash is the first
// twelve digits of the sha256 of the file. P12: the hash fits the content. P13: the
// file has one encoding:
//
//	---
//	kind: <kind>
//	step: work
//	…
//	---
//
//	body
//
// The keys are the trailers' names without "Flower-", in lower case and in the same
// order; Run and Format stand in the commit only. A document without a body ends with
// the second "---". P14: it stands in its kind's folder. P15: no document ever
// changes or goes, from any parent to its child: the set only grows, so that uniting
// two histories is the union of their trees. P16: a counter is greater than every
// counter in the parents' trees; so documents sort in the order in which they came
// to be. P17: each record with one parent or none adds the document that its message
// repeats: same kind, same facts, same body. It may add further ones, such as the
// step that a brief finishes. P18: From and Replaces name documents that are there.
//
// # Computed files
//
// P19: brief.md and goal.md are the bodies of the brief and goal that count, the
// greatest that no other replaces; the file is absent where there is none.
// P20: lineage/<machine>.json is computed from the session documents that name that
// machine: for each worker, or step where no worker is named, the newest session, its
// harness, and the sessions before it as "retired".
//
// P21: ledger/<wake>.json is a list of accounts (LedgerRow), rewritten whole by that
// wake alone. bench/scripts/, bench/notes/ and bench/artifacts/ (small ones) are files
// for people and workers, as they stood on the bench of the machine that made the
// record; each record takes along what has changed.
// P22: everything in the tree is a plain file, executable if and only if it begins
// with "#!", of at most 1 MiB, and no part of its path is what some system takes for
// '.git' or for a way up, nor a name that some system does not allow.
//
// # Reachability
//
// P23: every object of every record is there. P24: every commit that a record names
// as Code or Tip is there and reachable from a ref; one that a notice names, a
// snapshot of unfinished work, only until its worker reports.
//
// # What is promised of writing
//
// An Append that returned is on disk: objects and their directories are synced
// before the ref moves, the ref after. One that did not return has either happened
// whole or left only unreferenced objects. Objects are encoded by go-git where the
// repository is of a kind that it handles, else by git's plumbing; refs are moved by
// git alone. Nothing but an Append moves a run's records, and no hook of the user
// runs.
//
// # Local state
//
// Not part of what travels: <common git dir>/flower/id (the repository's random id
// and its real path), flower/run/<name>/lock (held by the kernel, never unlinked),
// and the state folder outside of every git directory, named by that id.
package gitstate
