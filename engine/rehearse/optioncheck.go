package rehearse

import (
	"encoding/json"
	"strings"
)

// readThinking checks the thinking field (SDK ThinkingConfigParamUnion; which
// model takes what: thinking troubleshooting page).
func (r *request) readThinking(o object) *apiError {
	r.thinks, r.shows = r.model.thinksUnasked(), r.model.shows()
	if !o.has("thinking") {
		return nil
	}
	t, err := asObject("thinking", o.raw["thinking"])
	if err != nil {
		return err
	}
	known := map[string]string{"enabled": "type budget_tokens display", "disabled": "type", "between_tools": "type", "adaptive": "type display"}
	kind, err := t.str("type")
	if err != nil {
		return err
	}
	if known[kind] == "" {
		return invalid("thinking: Input tag '%s' found using 'type' does not match any of the expected tags", kind)
	}
	t.path = "thinking." + kind
	fields := known[kind]
	if strings.Contains(fields, "display") {
		fields = r.header.known(fields, map[string]string{"block_binding": "thinking-binding-controls"})
	}
	if err := t.only(fields); err != nil {
		return err
	}
	if err := r.thinkingMode(kind, t); err != nil {
		return err
	}
	return r.thinkingDisplay(t)
}

func (r *request) thinkingMode(kind string, t object) *apiError {
	r.thinks = kind != "disabled"
	switch kind {
	case "adaptive":
		if !r.model.adaptive() {
			return invalid("adaptive thinking is not supported on this model")
		}
	case "between_tools":
		if !strings.Contains(r.model.id, "sonnet-5-5") {
			return invalid(`"thinking.type.between_tools" is not supported for this model.`)
		}
	case "enabled":
		if !r.model.manual() {
			return invalid(`"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`)
		}
		r.manual = true
		budget, err := t.integer("budget_tokens")
		if err != nil {
			return err
		}
		if budget < 1024 {
			return invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
		}
		if !r.count && budget >= r.maxTokens {
			return invalid("`max_tokens` must be greater than `thinking.budget_tokens`.")
		}
	}
	return nil
}

func (r *request) thinkingDisplay(t object) *apiError {
	displays := []string{"summarized", "omitted"}
	if r.header.beta("thinking-display-updates") {
		displays = append(displays, "updates")
	}
	display, err := t.oneOf("display", displays...)
	if err != nil {
		return err
	}
	if display != "" {
		r.shows = display == "summarized"
	}
	if !t.has("block_binding") {
		return nil
	}
	b, err := asObject(t.at("block_binding"), t.raw["block_binding"])
	if err != nil {
		return err
	}
	how, err := b.oneOf("prefix_mismatch_behavior", "error", "drop_block")
	r.drops = how == "drop_block"
	return err
}

// readRest checks the fields that change nothing in rehearsal.
func (r *request) readRest(o object) *apiError {
	if _, err := o.oneOf("service_tier", "auto", "standard_only"); err != nil {
		return err
	}
	if _, err := o.oneOf("speed", "standard", "fast"); err != nil {
		return err
	}
	if err := readMetadata(o); err != nil {
		return err
	}
	if err := readOutput(o, r.header); err != nil {
		return err
	}
	if !o.has("stop_sequences") {
		return nil
	}
	if json.Unmarshal(o.raw["stop_sequences"], &r.stops) != nil {
		return invalid("stop_sequences: Input should be a valid list")
	}
	for _, s := range r.stops {
		if strings.TrimSpace(s) == "" {
			return invalid("stop_sequences: each stop sequence must contain non-whitespace")
		}
	}
	return nil
}

func readMetadata(o object) *apiError {
	if !o.has("metadata") {
		return nil
	}
	m, err := asObject("metadata", o.raw["metadata"])
	if err != nil {
		return err
	}
	if err := m.only("user_id"); err != nil {
		return err
	}
	_, err = m.optional("user_id")
	return err
}

// efforts are those of SDK OutputConfigEffort.
var efforts = [...]string{"low", "medium", "high", "xhigh", "max"}

// readOutput checks output_config (SDK OutputConfigParam).
func readOutput(o object, h header) *apiError {
	if !o.has("output_config") {
		return nil
	}
	c, err := asObject("output_config", o.raw["output_config"])
	if err != nil {
		return err
	}
	if err := c.only(h.known("effort format", map[string]string{"task_budget": "task-budgets"})); err != nil {
		return err
	}
	_, err = c.oneOf("effort", efforts[:]...)
	return err
}

// cacheControl reads a breakpoint: how long it is kept, "" for none.
func (o object) cacheControl(h header) (string, *apiError) {
	if !o.has("cache_control") {
		return "", nil
	}
	c, err := asObject(o.at("cache_control"), o.raw["cache_control"])
	if err != nil {
		return "", err
	}
	if err := c.only(h.known("type ttl", map[string]string{"scope": "prompt-caching-scope"})); err != nil {
		return "", err
	}
	kind, err := c.str("type")
	if err != nil {
		return "", err
	}
	if kind != "ephemeral" {
		return "", invalid("%s: Input should be 'ephemeral'", c.at("type"))
	}
	ttl, err := c.oneOf("ttl", "5m", "1h")
	if ttl == "" {
		ttl = "5m"
	}
	return ttl, err
}
