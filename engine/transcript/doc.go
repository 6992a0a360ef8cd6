// Package transcript makes of a session's stored entries what the session is
// carried on from. Entries have the shape of Claude Code's transcripts, written
// by it or by us. Nothing here touches a disk or a clock.
//
// The store only ever grows, so that it holds more than the conversation: answers
// that were tried again, sub-agents, messages that tell of faults. The conversation
// is the chain from the newest leaf of the main thread back through parentUuid
// (chain.go). One answer of the model is several entries with one message id, and
// the results of calls that ran side by side hang off different ones of them; what
// belongs to an answer of the chain is taken in wherever it hangs. A parent that
// the store does not hold is taken for the entry stored before.
//
// Then everything is left out that no request should hold (clean.go): what Claude
// Code wrote of failed requests and interrupted answers, the texts by which we carry
// a turn on, blocks that the API refuses. Results move to their calls, and calls
// without one get one, but for those of the newest answer, which the caller can
// still make (pair.go). Every byte of an entry stays as it was stored, besides
// its parentUuid and the blocks that had to go or were shortened.
//
// What is left is made shorter, if that saves more than it costs (economy.go):
// short results of looks have gone stale but for the newest (expire.go), long ones
// have a pointer in their place (trim.go), and calls that a rule refused are gone,
// with their results (prune.go). The person's words, what the model wrote, pictures,
// summaries of a compaction and results of the tools that the caller keeps stay.
//
// Models bind their thoughts to all that stood before them. So whatever is changed
// takes the thoughts behind it along, and answers that come later are marked
// ("flowerLoaded") with the version of the conversation that they were given
// after, and with how much that leaves out ("flowerLeft"). Later readings make those
// versions again (version.go). While nothing more is changed they give the same
// bytes, so that the API's cache and the thoughts hold. An answer with thoughts whose
// calls wait for results is never reached.
//
// The promises:
//
//   - Read never panics, and what it returns is a conversation that the API takes,
//     once the open calls are answered: a user's words come first, every call has its
//     result directly after its answer and every result its call, no id is used
//     twice, no text is blank, no answer ends in a thought.
//   - Reading twice gives the same bytes. Reading what was read does, unless it was
//     made shorter.
//   - Every thought stands behind the very words that it was thought behind, as long
//     as Options decide as they did before.
//   - The entries handed in are not changed. Those returned may share their memory.
package transcript
