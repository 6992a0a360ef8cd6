package fence

import (
	"fmt"
	"strings"
)

// seatbelt is the policy as a profile of macOS' sandbox-exec. Of its rules the
// last that fits decides, so the longest path stands last.
func (p Policy) seatbelt(resolve func(string) (string, error)) string {
	var b strings.Builder
	b.WriteString(`(version 1)
(allow default)
(deny file-write*)
(deny signal)
(allow signal (target same-sandbox))
(deny mach-lookup (global-name "com.apple.securityd") (global-name "com.apple.SecurityServer"))
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$") (regex #"^/dev/fd/"))
`)
	for _, r := range p.rules(resolve) {
		where := "(subpath " + quoteProfile(r.Real) + ")"
		switch r.Kind {
		case hidden, scratch:
			// The names on the way to what is seen must be found.
			fmt.Fprintf(&b, "(deny file-read-data file-write* %s)\n(allow file-read-metadata %s)\n", where, where)
			fmt.Fprintf(&b, "(deny network-outbound %s)\n", where)
		case seen:
			fmt.Fprintf(&b, "(allow file-read* %s)\n(deny file-write* %s)\n", where, where)
		case writable:
			fmt.Fprintf(&b, "(allow file-read* file-write* network-outbound %s)\n", where)
		}
	}
	if len(p.Ports) > 0 {
		b.WriteString("(deny network-outbound (remote tcp))\n")
	}
	for _, port := range p.Ports {
		fmt.Fprintf(&b, "(allow network-outbound (remote tcp \"*:%d\"))\n", port)
	}
	return b.String()
}

func quoteProfile(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
