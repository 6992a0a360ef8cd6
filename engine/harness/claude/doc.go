// Package claude runs sessions in the Claude Code CLI, over its stream-json
// control protocol.
//
// A session is a process of the CLI that is started when its first turn begins
// and lives until the session is closed, the turn is left, or it breaks
// (session.go, turn.go). What decides stays with us:
//
//   - Every tool call is asked about by a PreToolUse hook that blocks when it
//     fails (hooks.go); a PostToolUse hook shows every result to Observe and puts
//     back what that makes of it, in the tool's own shape (output.go).
//   - Custom tools are an MCP server in this process (mcp.go).
//   - With a key, requests go through engine/proxy: the gate is asked before each
//     one, a fault is seen as it is and ends the turn, and nobody tries again
//     behind our back. The CLI knows a throw-away key only. With a login of the
//     CLI's own, requests go direct: the gate is asked before each turn and each
//     call, and the CLI makes at most two attempts.
//   - The transcript is kept as the CLI mirrors it (mirror.go): the hook holds a
//     call of ours back until the answer that holds it is on disk, and a result is
//     told when it is. A resumed session is written anew from what we kept into a
//     configuration folder of its own (folder.go), so the CLI goes on from our
//     history and from nothing else.
//
// Nothing of the machine or of the project comes along: no settings, hooks,
// memory, plugins or MCP servers; a folder of its own for configuration and
// temporary files; the environment is the one the caller gives.
//
// A turn that was broken off is carried on with a short user's text (carryOn).
// The proxy takes it out of requests, and it is dropped when a transcript is
// loaded, so the model does not see it; with a login it does.
//
// The process ends with everything that it started (worktree/process), also
// when this one dies. Facts about the CLI are those of version 2.1.332.
package claude
