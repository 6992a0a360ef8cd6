// Package bench keeps a run's bench: the folder outside every repository that its
// sessions share. What lies there was written by workers, so that names and
// descriptions are data, and no path is followed out of it.
//
//   - The shelves (scripts, artifacts, notes) are indexed (bench.go, index.go). What
//     files say of themselves is told to new sessions with their first message, and
//     announced to those at work when it comes later: a session's beginning stays as
//     it is.
//   - Long results of tools are kept there and leave a pointer (spill.go). The same
//     text is the same file, and one that is not whole is written anew.
//   - Scripts, notes and small artifacts travel with the run's records (carry.go);
//     what looks like a credential, hidden files, links and spilled texts stay.
package bench
