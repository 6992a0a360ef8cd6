// Package proxy stands between the Claude Code CLI and the Messages API. It
// listens on loopback; the CLI is given its address and, for each session, a
// throw-away key, so that neither the CLI nor the tools it starts ever see the
// real one.
//
// A Proxy serves many sessions. Open gives each a Pass: the key, the gate that
// is asked before every request, and the fault that ended the turn.
//
// Promises:
//
//   - Only POST /v1/messages and /v1/messages/count_tokens are passed on, to the
//     one endpoint of the configuration, and only for a key that is open.
//   - Every request for a message is admitted by the gate, and settled exactly
//     once, also when it broke off or the CLI went away. Counting tokens costs
//     nothing and is not admitted.
//   - An answer is held back until it is whole, then given byte for byte. The CLI
//     would run the calls of an answer that broke off.
//   - What breaks a request breaks the turn: from then until Begin every request
//     is refused with 403, which the CLI does not try again. A failure is one
//     request to the API, never ten.
//   - Nothing is tried again here, and no redirect is followed.
//   - A request goes on byte for byte, but for one thing: the words by which the
//     harness makes the CLI carry a broken turn on are taken out (carryon.go), so
//     that the model sees its history as if nothing had happened.
//
// Faults, usage and sizes are those of engine/harness/wire.
package proxy
