// Command marathon plays a long run through the real binary and measures what its
// contexts held: marathon [-seed <n>] [-long] <folder>.
//
// The run has the shape of a published one (23 workers, about 1,900 calls of
// theirs, 70 turns of the coordinator, outages) or, without -long, of a slice of it.
// It is made from a seed; the model's part is played by the scripted model behind a
// recorder, which sees every request as it left. Nothing here is shared with the
// code under test but that model and the words of its script.
//
// It prints a table and ends with 1 when a promise does not hold: every request of
// a session begins with the whole one before it, unless history was rewritten when
// the session was loaded, and then once; no turn of a worker is lost; no handoff is
// empty. The other rows have targets that it only prints.
package main
