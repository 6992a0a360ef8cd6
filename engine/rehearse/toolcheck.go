package rehearse

import (
	"encoding/json"
	"strings"
)

// A tool is one that the request offers.
type tool struct {
	name  string
	raw   map[string]json.RawMessage
	cache string
}

var (
	toolName    = lazily(`^[a-zA-Z0-9_-]{1,128}$`)
	propertyKey = lazily(`^[a-zA-Z0-9_.-]{1,64}$`)
	serverTool  = lazily(`^[a-z][a-z0-9_]*_[0-9]{8}$`)
)

// toolFields are those of SDK ToolParam.
const toolFields = "name description input_schema type cache_control strict defer_loading eager_input_streaming allowed_callers input_examples"

func (r *request) readTools(o object) *apiError {
	if !o.has("tools") {
		return nil
	}
	list, err := asList("tools", o.raw["tools"])
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for i, raw := range list {
		t, err := r.readTool(index("tools", i), raw)
		if err != nil {
			return err
		}
		if seen[t.name] {
			return invalid("tools: Tool names must be unique.")
		}
		seen[t.name] = true
		r.tools = append(r.tools, t)
	}
	if later := deferred(r.tools); later > 0 && later == len(r.tools) {
		return invalid("All tools have defer_loading set. At least one tool must be non-deferred.")
	}
	return nil
}

// deferred counts the tools that the model does not see at first.
func deferred(tools []tool) int {
	n := 0
	for _, t := range tools {
		if first(t.raw["defer_loading"]) == 't' {
			n++
		}
	}
	return n
}

func (r *request) readTool(path string, raw json.RawMessage) (tool, *apiError) {
	o, err := asObject(path, raw)
	if err != nil {
		return tool{}, err
	}
	t := tool{raw: o.raw}
	kind, err := o.optional("type")
	if err != nil {
		return t, err
	}
	if t.cache, err = o.cacheControl(r.header); err != nil {
		return t, err
	}
	if kind != "" && kind != "custom" {
		t.name, err = o.serverTool(kind)
		return t, err
	}
	o.path = path + ".custom"
	if err := o.only(toolFields); err != nil {
		return t, err
	}
	if t.name, err = o.str("name"); err != nil {
		return t, err
	}
	if !toolName().MatchString(t.name) {
		return t, invalid("%s: String should match pattern '%s'", o.at("name"), toolName())
	}
	if _, err := o.optional("description"); err != nil {
		return t, err
	}
	return t, checkSchema(o)
}

// serverTool reads a tool that the API itself defines; only its name matters here.
func (o object) serverTool(kind string) (string, *apiError) {
	if !serverTool().MatchString(kind) && kind != "mcp_toolset" {
		return "", invalid("%s: Input tag '%s' found using 'type' does not match any of the expected tags", o.path, kind)
	}
	name, err := o.optional("name")
	if name == "" {
		name = kind
	}
	return name, err
}

// checkSchema checks what the API demands of an input schema.
func checkSchema(o object) *apiError {
	if !o.has("input_schema") {
		return invalid("%s: Field required", o.at("input_schema"))
	}
	schema, err := asObject(o.at("input_schema"), o.raw["input_schema"])
	if err != nil {
		return err
	}
	kind, err := schema.str("type")
	if err != nil {
		return err
	}
	if kind != "object" {
		return invalid("%s: Input should be 'object'", schema.at("type"))
	}
	for _, name := range [...]string{"oneOf", "allOf", "anyOf"} {
		if schema.has(name) {
			return invalid("%s: input_schema does not support oneOf, allOf, or anyOf at the top level", schema.path)
		}
	}
	if schema.has("required") {
		var names []string
		if json.Unmarshal(schema.raw["required"], &names) != nil {
			return invalid("%s: JSON schema is invalid: required must be a list of strings", schema.path)
		}
	}
	return checkProperties(schema)
}

// schemaTypes are the types of JSON Schema draft 2020-12.
const schemaTypes = "string number integer boolean object array null"

func checkProperties(schema object) *apiError {
	if !schema.has("properties") {
		return nil
	}
	props, err := asObject(schema.at("properties"), schema.raw["properties"])
	if err != nil {
		return err
	}
	for key, raw := range props.raw {
		if !propertyKey().MatchString(key) {
			return invalid("%s: Property keys should match pattern '%s'", props.path, propertyKey())
		}
		if c := first(raw); c == 't' || c == 'f' {
			continue
		}
		p, err := asObject(props.at(key), raw)
		if err != nil {
			return invalid("%s: JSON schema is invalid: property '%s' is no schema", schema.path, key)
		}
		if kind, _ := p.optional("type"); kind != "" && !listedIn(schemaTypes, kind) {
			return invalid("%s: JSON schema is invalid: '%s' is no type", schema.path, kind)
		}
	}
	return nil
}

func (r *request) offers(name string) bool {
	for _, t := range r.tools {
		if t.name == name {
			return true
		}
	}
	return false
}

// checkReferences checks that what a search for tools found is offered.
func (r *request) checkReferences(object) *apiError {
	for _, m := range r.messages {
		for _, b := range m.blocks {
			for _, inner := range b.inner {
				if inner.kind == "tool_reference" && !r.offers(inner.name) {
					return invalid("Tool reference '%s' has no corresponding tool definition", inner.name)
				}
			}
		}
	}
	return nil
}

// readChoice checks tool_choice.
func (r *request) readChoice(o object) *apiError {
	if !o.has("tool_choice") {
		return nil
	}
	c, err := asObject("tool_choice", o.raw["tool_choice"])
	if err != nil {
		return err
	}
	if err := c.only("type name disable_parallel_tool_use"); err != nil {
		return err
	}
	kind, err := c.oneOf("type", "auto", "any", "tool", "none")
	if err != nil {
		return err
	}
	if len(r.tools) == 0 && kind != "none" {
		return invalid("tool_choice: tool_choice may only be specified while providing tools")
	}
	if forced := kind == "tool" || kind == "any"; forced && r.thinks && o.has("thinking") {
		return invalid("tool_choice: Thinking may not be enabled when tool_choice forces tool use.")
	}
	if kind != "tool" {
		return nil
	}
	name, err := c.str("name")
	if err == nil && !r.offers(name) {
		return invalid("tool_choice: Tool '%s' not found in provided tools", strings.TrimSpace(name))
	}
	return err
}
