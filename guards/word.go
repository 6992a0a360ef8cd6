package guards

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// A word is an argument whose value is known without running anything.
type word struct {
	text  string
	glob  bool // has an unquoted * ? [
	plain bool // letters, digits, dots, dashes and underscores, unquoted
}

// literal takes a word apart, or says why its value is not known.
func literal(w *syntax.Word) (word, string) {
	var out word
	var text strings.Builder
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if why := unquoted(p.Value, i == 0); why != "" {
				return word{}, why
			}
			out.glob = out.glob || strings.ContainsAny(p.Value, "*?[")
			out.plain = len(w.Parts) == 1 && plain(p.Value)
			text.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return word{}, "$'…' is an expansion; write it plainly"
			}
			text.WriteString(p.Value)
		case *syntax.DblQuoted:
			value, why := quoted(p)
			if why != "" {
				return word{}, why
			}
			text.WriteString(value)
		default:
			return word{}, kind(part) + " is an expansion; write out what it stands for"
		}
	}
	out.text = text.String()
	if first, _ := utf8.DecodeRuneInString(out.text); first != '-' && unicode.Is(unicode.Pd, first) {
		return word{}, "a word begins with a dash that is not '-'"
	}
	return out, ""
}

// unquoted refuses what a shell would still change.
func unquoted(s string, first bool) string {
	switch {
	case strings.ContainsAny(s, "\\$`"):
		return "'\\' and '$' outside quotes; use single quotes"
	case first && strings.HasPrefix(s, "~"):
		return "'~' is an expansion; write the path out"
	case strings.Contains(s, "{") && (strings.Contains(s, ",") || strings.Contains(s, "..")):
		return "braces are an expansion; write the words out"
	}
	return ""
}

// quoted is the value of "…". A dollar is only a dollar at the very end; a
// backslash stays itself before an ordinary character.
func quoted(q *syntax.DblQuoted) (string, string) {
	if q.Dollar {
		return "", "$\"…\" is an expansion; write it plainly"
	}
	var text strings.Builder
	for i, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return "", kind(part) + " is an expansion; write out what it stands for"
		}
		text.WriteString(lit.Value)
		body := lit.Value
		if i == len(q.Parts)-1 {
			body = strings.TrimSuffix(body, "$")
		}
		if strings.ContainsAny(body, "$`") || escapes(lit.Value) {
			return "", "'$', '`' or an escape within double quotes; use single quotes"
		}
	}
	return text.String(), ""
}

// escapes reports whether a backslash means something within double quotes.
func escapes(s string) bool {
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			return false
		}
		if i+1 == len(s) || strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			return true
		}
		s = s[i+2:]
	}
}

func plain(s string) bool {
	ordinary := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-[", r))
	}
	return s != "" && s[0] != '-' && strings.IndexFunc(s, func(r rune) bool { return !ordinary(r) }) < 0
}
