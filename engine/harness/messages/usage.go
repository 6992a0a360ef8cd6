package messages

import "git-flower/engine/harness"

// A wireUsage is the usage of message_start or message_delta. Fields that were
// not sent are nil; those that were are cumulative.
type wireUsage struct {
	Input    *int64 `json:"input_tokens"`
	Output   *int64 `json:"output_tokens"`
	Read     *int64 `json:"cache_read_input_tokens"`
	Write    *int64 `json:"cache_creation_input_tokens"`
	Creation *struct {
		For5m *int64 `json:"ephemeral_5m_input_tokens"`
		For1h *int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// merge takes over what a later event knows better.
func (u *wireUsage) merge(v *wireUsage) {
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

// tokens is the usage in our terms. Cache writes without a breakdown count as
// kept five minutes; a count below zero is zero.
func (u *wireUsage) tokens() harness.Usage {
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

// bytesPerToken is a low guess, so that estimates come out rather too high:
// English and code are near four bytes a token, Chinese near two.
const bytesPerToken = 2

// counted is the reply's usage for the books. What the server did not say is
// estimated from the bytes that went either way: an unknown cost must not be
// booked as none.
func (r *reply) counted(sent int64) harness.Usage {
	u := r.usage.tokens()
	if !r.started {
		return u
	}
	if u.Context() == 0 {
		u.Input = sent
	}
	if seen := (r.size + bytesPerToken - 1) / bytesPerToken; r.usage.Output == nil || !r.finished && u.Output < seen {
		u.Output = seen
	}
	return u
}
