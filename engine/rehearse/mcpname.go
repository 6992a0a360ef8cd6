package rehearse

import (
	"slices"
	"strings"
)

// toolNamed is the offered tool that a script's name means: the one of that
// name, or else the first one of that name that comes from an MCP server, which
// Claude Code offers as mcp__<server>__<name>.
func toolNamed(offered []string, name string) (string, bool) {
	if slices.Contains(offered, name) {
		return name, true
	}
	for _, tool := range offered {
		if of, ok := mcpTool(tool); ok && of == name {
			return tool, true
		}
	}
	return "", false
}

// mcpTool is a tool's name at its MCP server, if it comes from one.
func mcpTool(tool string) (string, bool) {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return "", false
	}
	_, name, ok := strings.Cut(rest, "__")
	return name, ok
}

// means says whether a script's name means the tool that was called.
func (c *conversation) means(name, called string) bool {
	tool, ok := toolNamed(c.tools, name)
	return called == name || ok && called == tool
}
