// Package governing finds the files that decide what a check's command does without
// being named in it.
//
// Protected paths come from the base when checks run, but what a check's command
// does also depends on files that it does not name: make takes a GNUmakefile
// before the Makefile, pytest obeys a conftest.py. Such a file is no less a change
// of the test than the test's own change, so it goes the same way: the judge is
// shown it, and without the brief's word the round is not yet. It is not taken
// from the base, since ordinary work may need it there.
//
// This is a table of names (table.go), no proof. What it cannot tell:
//
//   - The code under test can look at who tests it, and end the process with
//     success or answer what the test wants to hear.
//   - A program that is not in the table, or reads a file that is not, reads on.
//   - A module in place of one of the language's own (random.py, a go.mod's other
//     version of a dependency) is work like any other by its name.
//   - A link that comes to stand in place of a folder brings in what is below its
//     target, whatever that is called.
//   - Which programs a command comes to run is read off its words, and off the
//     words of the scripts that they name, at the base; a name that is put together
//     when the script runs is not seen. Rather one too many is found.
//
// The judge reads the changes for these, and the person before landing.
package governing
