package rehearse

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// A value is the input of a call: JSON in which every text is a template.
type value struct {
	kind   byte // o object, a list, s text, r anything else
	text   *text
	list   []value
	keys   []string
	fields []value // of keys
	raw    any     // number, bool, null
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
		return r.mapping(n)
	case *ast.SequenceNode:
		return r.sequence(n)
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

func (r *reader) mapping(n node) value {
	out := value{kind: 'o'}
	all, err := n.entries()
	r.keep(err)
	for _, e := range all {
		out.keys = append(out.keys, e.key)
		out.fields = append(out.fields, r.value(e.value))
	}
	return out
}

func (r *reader) sequence(n node) value {
	out := value{kind: 'a'}
	items, err := n.items()
	r.keep(err)
	for _, item := range items {
		out.list = append(out.list, r.value(item))
	}
	return out
}

// render writes the value as JSON, keys in the script's order.
func (v value) render(st *stage, b *strings.Builder) error {
	switch v.kind {
	case 'o':
		return v.renderObject(st, b)
	case 'a':
		return v.renderList(st, b)
	}
	raw := v.raw
	if v.kind == 's' {
		s, err := v.text.render(st)
		if err != nil {
			return err
		}
		raw = s
	}
	s, err := asJSON(raw)
	b.WriteString(s)
	return err
}

func (v value) renderList(st *stage, b *strings.Builder) error {
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
	return nil
}

func (v value) renderObject(st *stage, b *strings.Builder) error {
	b.WriteByte('{')
	for i, key := range v.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		quoted, _ := asJSON(key) // a string
		b.WriteString(quoted + ":")
		if err := v.fields[i].render(st, b); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}
