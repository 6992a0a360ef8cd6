// Package harness is the vocabulary of a session: what the engine asks of
// whatever runs a model, and what it is told back.
//
// A Harness opens Sessions. A Session is sent words and pulled for Events with
// Next, so that one caller owns the pace, nothing leaks when it stops pulling,
// and a scripted fake is a plain function (see harnesstest). A turn begins with
// Send and ends with exactly one Ended, whose Fault, if any, is classified so
// that the caller can decide: wait, ask a person, hand over, or give up. No
// harness retries by itself; sending a Message without text carries a broken
// turn on.
//
// Three functions stand between a model and the world. Options.Authorize is
// asked before every tool call and its answer is final; Options.Observe sees
// every result and may replace it; Options.Gate holds the purse, and each
// Admit that passed is settled exactly once.
//
// What a session said and did is kept by a Transcript, entry by entry, in the
// shape that Claude Code writes. An answer is on disk before its tools run and
// a result before the next request leaves, which is why a session can be
// resumed after a crash at any point.
//
// Lookup and Model.Cost are the one table of models and prices.
//
// The implementations are engine/harness/messages and engine/harness/claude;
// both must pass harnesstest.Run.
package harness
