package rehearse

// edits are what context_management may do, with their fields (SDK
// BetaContextManagementConfigEditUnionParam).
var edits = map[string]string{
	"clear_tool_uses_20250919": "type trigger keep clear_at_least clear_tool_inputs exclude_tools",
	"clear_thinking_20251015":  "type keep",
	"compact_20260112":         "type trigger instructions pause_after_compaction",
}

// readContextManagement checks what the API is to clear away. Nothing is
// cleared in rehearsal.
func (r *request) readContextManagement(o object) *apiError {
	if !o.has("context_management") {
		return nil
	}
	c, err := asObject("context_management", o.raw["context_management"])
	if err != nil {
		return err
	}
	if err := c.only("edits"); err != nil {
		return err
	}
	if !c.has("edits") {
		return nil
	}
	list, err := asList(c.at("edits"), c.raw["edits"])
	if err != nil {
		return err
	}
	for i, raw := range list {
		e, err := asObject(index(c.at("edits"), i), raw)
		if err != nil {
			return err
		}
		if err := r.readEdit(e, o); err != nil {
			return err
		}
	}
	return nil
}

func (r *request) readEdit(e, whole object) *apiError {
	kind, err := e.str("type")
	if err != nil {
		return err
	}
	fields, ok := edits[kind]
	if !ok {
		return invalid("%s: Input tag '%s' found using 'type' does not match any of the expected tags", e.path, kind)
	}
	e.path += "." + kind
	if err := e.only(fields); err != nil {
		return err
	}
	if kind == "clear_thinking_20251015" && !(r.thinks && whole.has("thinking")) {
		return invalid("`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive")
	}
	return nil
}
