package gitstate

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxName is how long a run's name may be.
const maxName = 48

// ValidName says why a text is no name of a run; the error wraps ErrName.
func ValidName(name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("%w: '%.60s…' is longer than %d characters", ErrName, name, maxName)
	case !wellFormed(name):
		return fmt.Errorf("%w: '%q' may hold lower-case letters, digits and '-' only, and '-' not at its ends", ErrName, name)
	case isDevice(name):
		return fmt.Errorf("%w: '%s' is a device on Windows", ErrName, name)
	}
	return nil
}

func wellFormed(name string) bool {
	return consists(name, lowerAlpha+digits+"-", maxName) && name[0] != '-' && name[len(name)-1] != '-'
}

func isDevice(name string) bool {
	if len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")) {
		return name[3] >= '0' && name[3] <= '9'
	}
	return slices.Contains([]string{"con", "nul", "aux", "prn"}, name)
}

// small words say nothing about what a run is for.
const small = " a an the to of in on at for from with and or as by is are be it its this that so " +
	"please i we you me my our your can could would should let make sure "

// Slug makes a readable run name from a request: its first telling words, three
// or more until there are twelve characters, or the time when it has none.
func Slug(request string, now time.Time) string {
	var words []string
	length := 0
	for _, word := range asciiWords(request) {
		if strings.Contains(small, " "+word+" ") {
			continue
		}
		if length+len(word) > maxName-len("-999") {
			break
		}
		words = append(words, word)
		length += len(word) + 1
		if len(words) >= 3 && length > 12 {
			break
		}
	}
	name := strings.Join(words, "-")
	if !strings.ContainsAny(name, "abcdefghijklmnopqrstuvwxyz") || ValidName(name) != nil {
		return now.Format("2006-01-02-1504")
	}
	return name
}

func asciiWords(text string) []string {
	text = strings.ToLower(text)
	return strings.FieldsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// numbered returns name, name-2, name-3 … for n = 1, 2, 3 …
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	suffix := fmt.Sprintf("-%d", n)
	return strings.TrimRight(name[:min(len(name), maxName-len(suffix))], "-") + suffix
}
