// Package harnesstest holds what tests of sessions need.
//
// Run is the contract: a suite that every harness.Harness must pass. It talks
// to a Stub, a scripted Messages API on loopback, and looks only at what the
// interface promises: events, transcript, purse, guards, resumption.
//
// Fake is a harness without a model, for the engine's own tests: a Go function
// plays each turn, calls tools through the guards, and pays through the gate.
//
// Chaos wraps any harness and breaks turns off at seeded points, the way a bad
// night on the network does; whoever drives sessions must come to the same end
// through it.
//
// Transcript is a harness.Transcript in memory.
package harnesstest
