// Package messages runs sessions on any endpoint that speaks the Anthropic
// Messages API. It needs no runtime besides: one binary and a key.
//
// A session is a loop (turn.go): take what was said, ask the model, keep the
// answer, run its tool calls, ask again, until the model ends its turn or
// something breaks it off. The loop runs only while Next is being called; the
// only goroutines are those of tool calls that may run side by side, and the
// loop waits for them.
//
// Promises:
//
//   - What is sent is ours byte for byte (request.go, conversation.go). The
//     beginning of a request is the request before it, but for the cache marks:
//     on the tools, the system prompt, and the newest two user messages. Blocks
//     of the model go back with the bytes they came in, where deltas allow it.
//   - An answer counts when message_stop has come. One that broke off leaves no
//     trace, and nothing of it is run.
//   - An answer is on disk before its tools run and before its events are told;
//     a result is on disk before it is told. Results are kept as they arrive and
//     sent in the order of the calls. A call that a crash left open is made
//     again under its id when the tool is the caller's; else the model is told
//     that it was cut off.
//   - Nothing is tried again here. A turn that breaks off ends with a Fault.
//   - An interrupted turn answers its open calls; a turn that was left, because
//     Next's context ended or the session was closed, keeps them open.
//   - Results of refused calls are not shown to Observe: nothing was performed.
//
// Files are opened through the roots that the options name (place.go): a link that
// takes the place of a directory after the guards have looked leads nowhere. What
// is no regular file is neither opened for long nor written, and a file with other
// names is replaced, so that they keep what they had.
//
// The tools have Claude Code's names and inputs: Read, Write, Edit, Bash,
// BashOutput, KillShell, Glob, Grep, TodoWrite, WebFetch, and Skill where packs
// have skills: the system prompt names these, and the tool reads one. Files are replaced in one step,
// and only when the model has read what is there now. A command left running in
// the background ends, with everything it started, when the session is closed;
// a session carried on by another process says that it is gone.
//
// The SDK is used for transport. Requests are built here, and replies are put
// together here, because the SDK's own types lose bytes. What an answer counted
// and which fault it is, engine/harness/wire says.
package messages
