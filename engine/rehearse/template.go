package rehearse

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"text/template"

	"github.com/goccy/go-yaml/ast"
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
	if t == nil || t.tmpl == nil {
		if t == nil {
			return "", nil
		}
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
	return b.String(), nil
}

// limited is a buffer that refuses to grow beyond maxText.
type limited struct{ strings.Builder }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxText {
		return 0, errors.New("the text gets too long")
	}
	return l.Builder.Write(p)
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

// A value is the input of a call: JSON in which every text is a template.
type value struct {
	text   *text
	list   []value
	keys   []string
	fields []value
	raw    any // number, bool, null
	kind   byte
}

func (r *reader) object(n node) value {
	if _, err := n.pairs(); err != nil {
		r.keep(err)
		return value{}
	}
	return r.value(n)
}

func (r *reader) value(n node) value {
	switch v := n.plain().(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		out := value{kind: 'o'}
		all, err := n.entries()
		r.keep(err)
		for _, e := range all {
			out.keys = append(out.keys, e.key)
			out.fields = append(out.fields, r.value(e.value))
		}
		return out
	case *ast.SequenceNode:
		out := value{kind: 'a'}
		items, err := n.items()
		r.keep(err)
		for _, item := range items {
			out.list = append(out.list, r.value(item))
		}
		return out
	case *ast.StringNode, *ast.LiteralNode:
		return value{kind: 's', text: r.template(n)}
	case *ast.IntegerNode:
		return value{kind: 'r', raw: v.Value}
	case *ast.FloatNode:
		return value{kind: 'r', raw: v.Value}
	case *ast.BoolNode:
		return value{kind: 'r', raw: v.Value}
	case *ast.NullNode:
		return value{kind: 'r'}
	}
	r.keep(n.fail("cannot be part of an input"))
	return value{}
}

// render writes the value as JSON, keys in the script's order.
func (v value) render(st *stage, b *strings.Builder) error {
	switch v.kind {
	case 'o':
		return v.renderObject(st, b)
	case 'a':
		b.WriteByte('[')
		for i, item := range v.list {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := item.render(st, b); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case 's':
		s, err := v.text.render(st)
		if err != nil {
			return err
		}
		quoted, _ := asJSON(s) // a string
		b.WriteString(quoted)
	default:
		raw, err := asJSON(v.raw)
		if err != nil {
			return err
		}
		b.WriteString(raw)
	}
	return nil
}

func (v value) renderObject(st *stage, b *strings.Builder) error {
	b.WriteByte('{')
	for i, key := range v.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		quoted, _ := asJSON(key)
		b.WriteString(quoted + ":")
		if err := v.fields[i].render(st, b); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}
