// Package plugin loads packs: folders in the layout of Claude Code's plugins that
// travel with a repository and teach a run's workers what is special to it.
//
//	.claude-plugin/plugin.json   name, version, description
//	skills/<name>/SKILL.md       what a worker can read up on, with further files beside it
//	agents/<name>.md             kinds of workers
//	hooks/hooks.json, .mcp.json  recognised and named, never run
//	commands/, bin/, …           recognised and named, not used
//
// Everything in a pack was written by somebody else, so Load takes nothing on
// trust. It reads a list of files (Files) that is limited in number and size and
// holds no links; it is pure and never fails for one bad part: what cannot be used
// is left out and is a Problem that names the file, and the line where there is
// one. Only a pack without a usable plugin.json is none.
//
// A pack can say things and can take things away, and no more. Its skills are
// text. Its agents may name tools, which narrow what a worker has (Agent.Narrow).
// What Claude Code would run by itself when a pack is loaded, or would grant by
// it, is not in what Write lays out: no hooks, servers, commands, agents,
// programs or settings, of a skill's head its name and description alone, and
// commands that stand in a skill's text (!`…`) as plain text.
//
// The form of the files is that of the public documentation of Claude Code's
// plugins, skills and sub-agents, of autumn 2026. YAML is read by its syntax tree
// alone: anchors, aliases, tags and more than one level of nesting are refused
// where a value is used.
//
// Base is the pack that comes with git flower.
package plugin
