package wire

import "git-flower/engine/harness"

// Usage is the usage of message_start or message_delta, as sent. Fields that were
// not sent are nil; those that were are cumulative.
type Usage struct {
	Input    *int64 `json:"input_tokens"`
	Output   *int64 `json:"output_tokens"`
	Read     *int64 `json:"cache_read_input_tokens"`
	Write    *int64 `json:"cache_creation_input_tokens"`
	Creation *struct {
		For5m *int64 `json:"ephemeral_5m_input_tokens"`
		For1h *int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// Merge takes over what a later event knows better.
func (u *Usage) Merge(v *Usage) {
	if v == nil {
		return
	}
	for _, p := range []struct{ to, from **int64 }{
		{&u.Input, &v.Input}, {&u.Output, &v.Output}, {&u.Read, &v.Read}, {&u.Write, &v.Write},
	} {
		if *p.from != nil {
			*p.to = *p.from
		}
	}
	if v.Creation != nil {
		u.Creation = v.Creation
	}
}

// Tokens is the usage in our terms. Cache writes without a breakdown count as
// kept five minutes; a count below zero is zero.
func (u *Usage) Tokens() harness.Usage {
	t := harness.Usage{Input: count(u.Input), Output: count(u.Output), Read: count(u.Read), Write5m: count(u.Write)}
	if u.Creation != nil {
		t.Write1h = count(u.Creation.For1h)
		t.Write5m = max(count(u.Creation.For5m), t.Write5m-t.Write1h)
	}
	return t
}

func count(n *int64) int64 {
	if n == nil {
		return 0
	}
	return max(0, *n)
}
