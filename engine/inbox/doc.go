// Package inbox wakes a process when another one has something for it.
//
// What is said is never in the inbox. Whoever has something to say records it
// first, where it is safe, and then knocks: a small file is renamed into a
// folder. The process that watches the folder learns that it has to read its
// records again, removes the knock, and forgets it. A knock that is lost costs
// time, never words.
//
// What may be relied upon:
//
//   - A knock wakes a Box that is open, also one from before it was opened.
//   - Several knocks may wake it once: a wake says that there is something, not
//     how much. After a wake everything that was recorded before is to be read.
//   - The folder may be removed, made anew, or filled faster than notifications
//     hold; file notifications are only the quick way, looking every two
//     seconds is the net.
//   - A knock that cannot be removed wakes once, not for ever.
package inbox
