package harness

import (
	"regexp"
	"sync"
)

// tooLong are the phrases that mean a full window, of the API and of gateways before it.
var tooLong = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)prompt is too long|context[ _-]?length[ _-]?exceeded|maximum context length` +
		`|exceed(s|ed)? (the )?(context )?(window|limit) of|exceed(s|ed)? (the )?context (window|limit)` +
		`|context (window|limit) (is |was )?exceeded|too many total text bytes` +
		"|input length and `?max_tokens`? exceed")
})

// TooLong says whether the words of a refusal mean that a prompt is too long for
// the model's window.
func TooLong(words string) bool { return tooLong().MatchString(words) }
