// Package rehearse is a model without a model: a server that speaks the
// Messages API over loopback HTTP and answers from a script.
//
// Everything but the model is real: HTTP, streams, headers, errors, usage. The
// server refuses what the real API refuses, with its status and error type,
// because a loop that is only ever tested against a lenient double proves that
// it agrees with itself. What is refused, and where we know it from, is listed
// in docs/rehearsal.md with the script format.
//
// A Script is a list of scenes. Which scene is played and which turn of it is
// found in the conversation itself, never in the server's memory: the scene by
// who asks and what was said, the turn by how many answers the conversation
// holds. So a session that is resumed, forked, or continued by another process
// with another server hears the same as one that never stopped. Ids of calls
// are made from the same facts, without paths and times, so that two runs of
// the same thing are equal. Answers whose calls were all cut off by a crash or an
// interruption are not counted and are given again. What Claude Code adds to a
// conversation is left out, so that one script plays under both harnesses.
//
// Only faults are counted in memory: an error that is to come twice comes
// twice per server, turn and conversation.
//
// Thinking is signed, and tied to all that stood before it, with a key that is
// the same in every server. Usage is computed from the bytes of the request,
// four to a token; cache figures from the prefixes at the request's breakpoints
// that this server has seen.
package rehearse
