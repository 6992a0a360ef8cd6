package guards

import (
	"regexp"
	"strings"
	"sync"
)

// credentials are the forms of keys that their issuers document; each begins
// with something that nothing else begins with, so that a hit is one.
var credentials = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`,
		`\b(?:AKIA|ASIA)[A-Z2-7]{16}\b`,        // AWS
		`\bsk-(?:ant|proj|svcacct)-[\w-]{20,}`, // Anthropic, OpenAI
		`\bgh[pousr]_[A-Za-z0-9]{36,}`,         // GitHub
		`\bgithub_pat_\w{22,}`,                 //
		`\bglpat-[\w-]{20,}`,                   // GitLab
		`\bxox[abprs]-[\w-]{10,}`,              // Slack
		`\bAIza[\w-]{35}`,                      // Google
		`\b[rs]k_live_[A-Za-z0-9]{20,}`,        // Stripe
		`\bnpm_[A-Za-z0-9]{36}\b`,              //
		`\bhf_[A-Za-z0-9]{30,}\b`,              // Hugging Face
	}, "|"))
})

// HoldsCredential reports whether a text holds something of the form of a well-known
// kind of key. No is not a promise: most secrets have no form.
func HoldsCredential(text string) bool { return credentials().MatchString(text) }
