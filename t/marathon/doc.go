// Command marathon plays a long run through the real binary and measures what its
// contexts held: marathon [-seed <n>] [-long] [-harness messages|claude] <folder>.
//
// The run has the shape of a published one (23 workers, 1,893 calls of theirs, 32 of the
// coordinator, outages) or, without -long, of a slice of it. It is made from a seed;
// the model's part is played by the scripted model behind a recorder, which sees every
// request as it left and every answer as it came. The contexts of the coordinator and
// of the largest workers fill their windows: the server has small ones, by model, and
// the run knows them as it would from an earlier overflow. The driver is killed and
// resumed, in a slice once, in the whole twice. Nothing here is shared with the code
// under test but that model, the words of its script and the reader of transcripts.
//
// It prints a table and ends with 1 when a promise does not hold:
//
//   - Every request of a session begins with the whole one before it. The first one
//     after the driver was started again need not, where the load rewrote history, and
//     then once. Blocks are compared without the order of their members, which Claude
//     Code changes between two requests. There a kill may also have cost the newest
//     answers: it mirrors its transcript beside its requests.
//   - Every whole answer that a worker got is in a transcript, but for those that a kill
//     stopped: these are asked for again. Every change that a call of a worker made is
//     in the run's result, if the call was not cut off.
//   - Coordinator and worker have handed over, no handoff is empty, each was written by
//     its session.
//   - 'git flower stats' tells the turns, calls, characters and bills that were seen. With
//     Claude Code characters are not compared: it sends reminders that it does not store.
//   - The driver's memory does not grow with what sessions said that are over.
//
// The other rows have targets that it only prints. How long the coordinator's words are and
// how many tasks go into one dispatch is the script's doing, so kept out is told in
// several ways, also for a coordinator that holds as much a task as the published one.
// Targets are those of the whole: a slice has too few workers for its coordinator.
package main
