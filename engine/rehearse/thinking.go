package rehearse

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// signingKey signs thinking. It is the same in every server, so that a run
// which was begun in one process can be resumed in another.
const signingKey = "git-flower rehearsal"

// A seal is what a signature says: the words that stood before the thinking,
// the thinking before it, and a sum over both and the text.
type seal struct {
	words [32]byte
	chain [32]byte // of the signature before, zero for the first
}

const signatureSize = 3 * 32

func (s seal) sign(text string) string {
	sum := s.sum(text)
	raw := append(append(append(make([]byte, 0, signatureSize), s.words[:]...), s.chain[:]...), sum[:]...)
	return base64.StdEncoding.EncodeToString(raw)
}

func (s seal) sum(text string) [32]byte {
	m := hmac.New(sha256.New, []byte(signingKey))
	m.Write(s.words[:])
	m.Write(s.chain[:])
	m.Write([]byte(text))
	return [32]byte(m.Sum(nil))
}

// open reads a signature and says whether it fits the text.
func open(signature, text string) (seal, bool) {
	raw, err := base64.StdEncoding.DecodeString(signature)
	if err != nil || len(raw) != signatureSize {
		return seal{}, false
	}
	s := seal{words: [32]byte(raw[:32]), chain: [32]byte(raw[32:64])}
	sum := s.sum(text)
	return s, hmac.Equal(sum[:], raw[64:])
}

// signatureChain names a signature in the seal of the next thinking.
func signatureChain(signature string) [32]byte {
	if signature == "" {
		return [32]byte{}
	}
	return sha256.Sum256([]byte(signature))
}

// checkThinking checks that thinking comes back as it was given.
func (r *request) checkThinking(c *chainer) *apiError {
	latest := r.latestAssistant()
	before := ""
	for i, s := range c.all {
		if s.block == nil || !s.block.isThinking() {
			continue
		}
		was, ok := open(s.block.signature, s.block.text)
		if !ok {
			return r.alteredThinking(s.block, latest)
		}
		if r.model.bound() && !r.drops && (was.words != wordsBefore(c, i) || before != "" && was.chain != signatureChain(before)) {
			return invalid("%s: Invalid `signature` in `%s` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".", s.block.path, s.block.kind)
		}
		before = s.block.signature
	}
	return r.checkThinkingThere(latest)
}

func wordsBefore(c *chainer, i int) [32]byte {
	if i == 0 {
		return [32]byte{}
	}
	return c.all[i-1].words
}

// latestAssistant is the index of the last assistant message, -1 for none.
func (r *request) latestAssistant() int {
	for i := len(r.messages) - 1; i >= 0; i-- {
		if r.messages[i].role == "assistant" {
			return i
		}
	}
	return -1
}

func (r *request) alteredThinking(b *block, latest int) *apiError {
	for i := range r.messages[latest].blocks {
		if &r.messages[latest].blocks[i] == b {
			return invalid("%s: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.", b.path)
		}
	}
	return invalid("%s: Invalid `signature` in `%s` block", b.path, b.kind)
}

// checkThinkingThere checks that a turn with tools which began with thinking
// still does. Ids of our calls tell whether thinking came before them.
func (r *request) checkThinkingThere(latest int) *apiError {
	if latest < 0 {
		return nil
	}
	turns := merge(r.messages[:latest+1])
	blocks := turns[len(turns)-1].blocks
	for i, b := range blocks {
		if b.kind != "tool_use" {
			continue
		}
		if thoughtBefore(b.id) && !anyThinking(blocks[:i]) && r.thinks {
			return invalid("%s: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.", blocks[0].path)
		}
		if r.manual && !blocks[0].isThinking() {
			return invalid("%s.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).", blocks[0].path, blocks[0].kind)
		}
	}
	return nil
}

func anyThinking(blocks []block) bool {
	for i := range blocks {
		if blocks[i].isThinking() {
			return true
		}
	}
	return false
}
