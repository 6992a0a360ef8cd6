package rehearse

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"text/template"
)

// maxText is how long one text of an answer may get, in bytes.
const maxText = 4 << 20

// A text is a string of the script with template actions in it.
type text struct {
	at    node
	plain string // without actions
	tmpl  *template.Template
}

func (r *reader) template(n node) *text {
	s := r.words(n)
	out := &text{at: n, plain: s}
	if !strings.Contains(s, "{{") {
		return out
	}
	t, err := template.New("").Option("missingkey=error").Funcs(functions(nil)).Parse(s)
	if err != nil {
		r.keep(n.fail("%s", templateError(err)))
		return out
	}
	out.tmpl = t
	return out
}

// templateError drops the package's own prefix, which names no file here.
func templateError(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "template: "), ":")
}

// render fills the text in from what the conversation holds.
func (t *text) render(st *stage) (string, error) {
	if t == nil {
		return "", nil
	}
	if t.tmpl == nil {
		return t.plain, nil
	}
	own, err := t.tmpl.Clone()
	if err != nil {
		return "", t.at.fail("%s", templateError(err))
	}
	var b limited
	if err := own.Funcs(functions(st)).Execute(&b, st.data()); err != nil {
		return "", t.at.fail("%s", templateError(err))
	}
	return b.text.String(), nil
}

// limited is a buffer that refuses to grow beyond maxText.
type limited struct{ text strings.Builder }

func (l *limited) Write(p []byte) (int, error) {
	if l.text.Len()+len(p) > maxText {
		return 0, errors.New("the text gets too long")
	}
	return l.text.Write(p)
}

// functions are what templates may call besides text/template's own. None
// reads the environment, files or the clock.
func functions(st *stage) template.FuncMap {
	return template.FuncMap{
		"lines":   func(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") },
		"first":   firstOf,
		"join":    func(sep string, list []string) string { return strings.Join(list, sep) },
		"trim":    strings.TrimSpace,
		"lower":   strings.ToLower,
		"upper":   strings.ToUpper,
		"replace": func(old, new, s string) string { return strings.ReplaceAll(s, old, new) },
		"quote":   asJSON,
		"json":    asJSON,
		"find":    find,
		"result":  func(tool string) (string, error) { return st.result(tool) },
	}
}

// firstOf is the first element of a list, or the first line of a text.
func firstOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		line, _, _ := strings.Cut(v, "\n")
		return line, nil
	case []string:
		if len(v) > 0 {
			return v[0], nil
		}
		return "", errors.New("first of an empty list")
	}
	return "", fmt.Errorf("first of a %T", v)
}

// asJSON writes a value as JSON; a text is thereby quoted.
func asJSON(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// find is what a pattern matches in a text: its first group if it has one.
func find(pattern, s string) (string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", err
	}
	m := re.FindStringSubmatch(s)
	if m == nil {
		return "", fmt.Errorf("'%s' matches nothing", pattern)
	}
	return m[len(m)-1], nil
}
