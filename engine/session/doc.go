// Package session keeps the transcripts of sessions in one SQLite file, private
// to this machine: <common git dir>/flower/session.db.
//
// A transcript is a list of entries, JSON objects in the shape of Claude Code's
// transcripts. The store only ever appends: what was stored is never rewritten,
// and Load returns it byte for byte, in the order in which it was stored. Pairing
// open tool calls, trimming and expiry are the business of whoever loads.
//
// The promises:
//
//   - When Append returned nil the entries are on disk, all of them: the journal
//     is synced with every transaction. After an error none of them or all of
//     them are; repeating the call is harmless, since an entry whose uuid the
//     session already holds is skipped.
//   - Several processes may append at the same time. A process that is killed
//     loses nothing that was acknowledged.
//   - Open never destroys. A file that is damaged is renamed to
//     session.db.damaged-<n>, with its journal, and Store.Damage says so; a file of
//     a newer git-flower or of another program is refused and left alone.
//
// Damage is looked for where it is cheap: the header, the schema and the newest
// entry when the file is opened. Damage that shows later makes Load or Append
// return ErrDamaged and leaves a mark (session.db.suspect), which makes the next
// Open read the whole file and rename it if it is bad.
//
// Where the file system cannot do write-ahead logging (no shared memory), the
// store works with a rollback journal, which is slower; Store.Journal
// tells which. A lock file, session.db.lock, is held shared while a store is open
// and is never removed; the file is only replaced by whoever can lock it alone.
package session
