// Package engine carries a run from its request to its end.
//
// A run is a history of records on one ref. The loop is five lines: read the
// history, ask Next what comes, perform it, append what came of it, repeat.
// Next (next.go) is pure and is the whole state machine, so resuming after a
// crash, an outage or a move to another machine is the same code as running.
// Work between two records may be repeated; nothing recorded ever is.
//
// Told once: a person asks for something (request). The clarifier asks back and
// freezes a brief. The judge turns the brief into a goal with checks, whose
// commands run once on the base. The coordinator, who may not touch anything,
// dispatches workers; each works in a tree of its own and ends with a report,
// and its commits are joined. When the coordinator ends its turn the engine
// runs the goal's commands on the join, a fresh judge looks at the result, and
// either the goal is reached or its words begin the next round, in the
// coordinator's same session.
//
// Workers are coders, or of a kind that the repository's pack describes
// (kind.go): a kind has words of its own and fewer tools, never more.
//
// What may be relied upon:
//
//   - A record and the refs it names move together. A report names the tool
//     call it answers: when a coordinator is killed in the middle of a dispatch,
//     the call is made again under its old id and answered with the reports
//     that exist; unfinished workers go on in their own sessions.
//   - No request leaves without the budget's consent, and what it cost is on
//     disk before the next one (gate.go, engine/spending).
//   - A check whose command failed is never passed, whatever the judge says; an
//     answer that does not parse is "not yet" (verdict.go).
//   - Protected paths are the base's when checks run, and a round that changed one,
//     or a file that decides what a check's command does, is reached by the brief's
//     word only (engine/governing, which says what this cannot tell).
//   - A session whose context is full leaves a handoff, which is a record, and a fresh
//     session takes over from it (watermark.go, handover.go): the coordinator's, the
//     clarifier's, that of the judge who sets a goal, and a worker's, each in its place.
//   - Every record takes along what has changed of the bench's scripts, notes and small
//     artifacts (engine/bench), so that another machine has them; spilled texts stay.
//   - A fault carries on in the same session (resilience.go). What does not
//     pass becomes a Pause: a save point, never a lost run.
//
// The engine sees git, trees, the terminal and models through the small
// interfaces in deps.go and imports none of their implementations.
package engine
