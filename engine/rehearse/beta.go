package rehearse

import (
	"net/http"
	"strings"
)

// betaName is the form of a beta's name: what it is and since when. Which ones
// exist is not known in full, so another name of this form passes.
var betaName = lazily(`^[a-z0-9-]+-20\d\d-?\d\d-?\d\d$`)

// readBetas reads the anthropic-beta header, a list with commas (beta headers page).
func (h *header) readBetas(from http.Header) *apiError {
	for name := range strings.SplitSeq(strings.Join(from.Values("anthropic-beta"), ","), ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !betaName().MatchString(name) {
			return invalid("Unexpected value(s) `%s` for the `anthropic-beta` header. Please consult our documentation at platform.claude.com/docs or try again without the header.", name)
		}
		h.betas = append(h.betas, name)
	}
	return nil
}

// beta says whether one of the features is asked for, of any date. No feature
// stands for any beta at all: what needs one, but which one is not known.
func (h header) beta(features string) bool {
	if features == "" {
		return len(h.betas) > 0
	}
	for f := range strings.FieldsSeq(features) {
		for _, name := range h.betas {
			if strings.HasPrefix(name, f+"-20") {
				return true
			}
		}
	}
	return false
}

// known adds to a list of fields those that need a beta that is asked for.
func (h header) known(fields string, needing map[string]string) string {
	for field, features := range needing {
		if h.beta(features) {
			fields += " " + field
		}
	}
	return fields
}
