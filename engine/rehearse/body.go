package rehearse

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// parseBody reads the JSON. Halves of surrogate pairs and bad UTF-8 are
// refused, which a client meets when it cuts text in the middle of a letter.
func parseBody(body []byte) (object, *apiError) {
	if !utf8.Valid(body) {
		return object{}, invalid("The request body is not valid JSON: it is not UTF-8")
	}
	if !json.Valid(body) {
		return object{}, invalid("The request body is not valid JSON")
	}
	if loneSurrogate(body) {
		return object{}, invalid("The request body is not valid JSON: no low surrogate in string")
	}
	if first(body) != '{' {
		return object{}, invalid("Input should be a valid dictionary or object to extract fields from")
	}
	return object{raw: members(body)}, nil
}

// loneSurrogate finds \ud83d without its other half. body is valid JSON.
func loneSurrogate(body []byte) bool {
	text := string(body)
	for i := strings.IndexByte(text, '\\'); i >= 0 && i < len(text); {
		if text[i] != '\\' {
			next := strings.IndexByte(text[i:], '\\')
			if next < 0 {
				return false
			}
			i += next
			continue
		}
		if text[i+1] != 'u' {
			i += 2
			continue
		}
		switch unit := strings.ToLower(text[i+2 : i+4]); {
		case unit >= "d8" && unit < "dc":
			if i+12 > len(text) || text[i+6:i+8] != `\u` || !lowSurrogate(text[i+8:i+10]) {
				return true
			}
			i += 12
		case lowSurrogate(unit):
			return true
		default:
			i += 6
		}
	}
	return false
}

func lowSurrogate(unit string) bool {
	unit = strings.ToLower(unit)
	return unit >= "dc" && unit < "e0"
}
