// Package economy makes figures of a run's ledger and transcripts: what each
// session was billed, what its context held, and how much of the work stayed
// out of the coordinator's context. It reads no file and no clock.
//
// Two sources, never mixed in one figure:
//
//   - The ledger (gitstate.LedgerRow) travels with the records. Requests, tokens
//     and cost come from it: what was billed, answers that were lost included. What
//     this machine's journal knows beyond it counts too, and is told apart.
//   - Transcripts stay on the machine that made them unless they are sent. Turns,
//     characters, calls, the context curve and all that is told of calls come from
//     them. Where one is missing these figures are absent, never zero, for its
//     session and for every sum that it belongs to. Side questions keep none: the
//     totals of these figures are without them.
//
// What is counted, and what would mislead:
//
//   - A turn is one answer of the model. Claude Code stores an answer as several
//     rows, with one message id and the same usage: a message id counts once.
//   - Sessions are in the order of their first entry, or of their account's
//     beginning; never in that of their ids.
//   - Whose a session is stands in the ledger, and nothing is made of names or paths.
//   - The main thread is the coordinator's sessions. The clarifier's, the judge's and
//     the oracle's are neither the main thread nor kept out of it.
//   - A denial is a row whose toolDenialKind tells of a rule; words that sound like
//     one are none, and so is a call that an interruption stopped.
//   - A spill is an event: a result that is a pointer. Its size is in characters.
//   - Rows without a message are no turns, and hold no characters.
//   - A script is run when a command that was made names it as what to run. A loop
//     counts once.
//
// Characters are those of texts, inputs of calls and their results; a value that
// is no string counts as its JSON text with a blank after ':' and ','. Thinking is
// not counted. Tokens and money are as in the ledger.
package economy
