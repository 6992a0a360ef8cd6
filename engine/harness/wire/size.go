package wire

// bytesPerToken is a low guess, so that estimates come out rather too high:
// English and code are near four bytes a token, Chinese near two.
const bytesPerToken = 2

// imageTokens is what a picture counts at most.
const imageTokens = 6_000

// A Size is a request's: bytes of text, and pictures apart, whose bytes say
// nothing about their tokens.
type Size struct{ Bytes, Pictures int64 }

// Known is the newest request that was answered.
type Known struct {
	Size   Size
	Tokens int64 // what the answer counted for it
}

// Estimate is how many tokens a request will count, rather too many. What the
// last answer counted is known; only what came since is guessed.
func (k Known) Estimate(now Size) int64 {
	bytes, pictures, tokens := now.Bytes-k.Size.Bytes, now.Pictures-k.Size.Pictures, k.Tokens
	if bytes < 0 || pictures < 0 {
		bytes, pictures, tokens = now.Bytes, now.Pictures, 0
	}
	return tokens + guess(bytes) + pictures*imageTokens
}

// guess is how many tokens so many bytes of text are.
func guess(bytes int64) int64 { return (bytes + bytesPerToken - 1) / bytesPerToken }
