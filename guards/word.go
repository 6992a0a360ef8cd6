package guards

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// What a command computes is not known when it is judged. Such a part of a word
// is a hole in its text; control characters cannot stand in a command, so these
// are free to mark them.
const (
	anything = "\x00" // any text
	found    = "\x01" // what a pattern found: a name, or a path down from here
	digits   = "\x02" // letters and digits, of a number or an object
	holes    = anything + found + digits
	before   = "/" + digits + "/OLDPWD" // where the shell was before it changed its directory
)

// A word is an argument as the shell will pass it on.
type word struct {
	text string // with holes
	glob bool   // has an unquoted * ? [, and may become several words
	free bool   // has an unquoted hole, and may become several words or none
	at   int    // its place among the words of the command as written
}

// option reports whether a program could take the word for an option that is
// not written out in it.
func (w word) option() bool {
	if w.text == "" {
		return w.free
	}
	return w.free || strings.IndexByte(anything+found, w.text[0]) >= 0 || w.glob && strings.IndexByte("*?[", w.text[0]) >= 0
}

// known reports whether the word is just what is written.
func (w word) known() bool { return !w.glob && !w.free && !strings.ContainsAny(w.text, holes) }

// matches is the value of a variable that goes through what the word becomes.
func (w word) matches() string {
	switch {
	case w.free:
		return anything
	case !w.glob:
		return w.text
	}
	fixed := w.text[:strings.IndexAny(w.text, "*?[")]
	if strings.Contains(fixed, `\`) || strings.HasSuffix(fixed, "/.") || fixed == "." {
		return anything // it may find '..'
	}
	rest := w.text[strings.LastIndexAny(w.text, "*?[]")+1:]
	return fixed + found + rest
}

// words is what one written word becomes: several through braces.
func (g *glancer) words(w *syntax.Word) []word {
	out := []word{{}}
	if !g.spend(0) {
		return out
	}
	for i, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			text, free := g.part(part)
			for j := range out {
				out[j].text += text
				out[j].free = out[j].free || free
			}
			continue
		}
		pieces, why := g.unquoted(lit.Value, i == 0, i == len(w.Parts)-1)
		if why != "" {
			g.refuse("%s", why)
			return out[:1]
		}
		out = cross(out, pieces)
	}
	for _, o := range out {
		g.spend(len(o.text))
		if first, _ := utf8.DecodeRuneInString(o.text); first != '-' && unicode.Is(unicode.Pd, first) {
			g.refuse("'%s' begins with a dash that is not '-'", o.text)
		}
	}
	return out
}

// word is a written word that stays one.
func (g *glancer) word(w *syntax.Word) word {
	all := g.words(w)
	if len(all) != 1 {
		g.refuse("braces make several words here; write the one that is meant")
	}
	return all[0]
}

func cross(heads, tails []word) []word {
	if len(tails) == 1 {
		for i := range heads {
			heads[i].text += tails[0].text
			heads[i].glob = heads[i].glob || tails[0].glob
		}
		return heads
	}
	var out []word
	for _, h := range heads {
		for _, t := range tails {
			h := h
			out = append(out, word{text: h.text + t.text, glob: h.glob || t.glob, free: h.free})
		}
	}
	return out
}

// unquoted reads text outside of quotes: backslashes, '~', patterns, braces.
func (g *glancer) unquoted(s string, first, last bool) ([]word, string) {
	if !strings.ContainsAny(s, "\\$`~{*?[") {
		return []word{{text: s}}, ""
	}
	if !last && strings.HasSuffix(s, "$") || strings.Contains(strings.TrimSuffix(s, "$"), "$") || strings.Contains(s, "`") {
		return nil, "'$' outside of quotes; put the word into single quotes"
	}
	home := ""
	if first && strings.HasPrefix(s, "~") {
		if len(s) > 1 && s[1] != '/' || len(s) == 1 && !last {
			return nil, "'" + s + "…' may name a home directory; write the path out"
		}
		home, s = "/"+anything, s[1:]
	}
	if strings.Contains(s, "{") && (strings.Contains(s, ",") || strings.Contains(s, "..")) {
		return braces(s, first && last)
	}
	out := word{glob: globs(s), text: home + unescape(s)}
	return []word{out}, ""
}

// globs reports a pattern's characters that no backslash takes the meaning from.
func globs(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return s != "["
		}
	}
	return false
}

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// braceForm is the form of braces that shells with braces agree about.
var braceForm = regexp.MustCompile(`^([\w./*:@=+-]*)\{([\w./*+-]*(?:,[\w./*+-]*)+|\d{1,3}\.\.\d{1,3})\}([\w./*+-]*)$`)

// braces writes out {a,b} and {1..5}. Where there are no braces in a shell, the
// word stays as it is, so neither reading may be an option.
func braces(s string, whole bool) ([]word, string) {
	form := braceForm.FindStringSubmatch(s)
	if form == nil || !whole {
		return nil, "'" + s + "' is hard to read; write the words out"
	}
	alternatives := strings.Split(form[2], ",")
	if from, to, ok := strings.Cut(form[2], ".."); ok && !strings.Contains(form[2], ",") {
		alternatives = series(from, to)
	}
	if len(alternatives) > mostItems {
		return nil, "'" + s + "' stands for too many words"
	}
	var out []word
	for _, a := range alternatives {
		text := form[1] + a + form[3]
		if text == "" || text[0] == '-' || text[0] == '~' {
			return nil, "'" + s + "' stands for an option; write it out"
		}
		out = append(out, word{text: text, glob: strings.Contains(text, "*")})
	}
	return out, ""
}

// series counts like {3..5}, in decimals of at most three digits.
func series(from, to string) []string {
	a, _ := strconv.Atoi(from)
	b, _ := strconv.Atoi(to)
	step := 1
	if b < a {
		step = -1
	}
	out := []string{strconv.Itoa(a)}
	for ; a != b; a += step {
		out = append(out, strconv.Itoa(a+step))
	}
	return out
}
