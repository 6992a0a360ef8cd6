package rehearse

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// pairs are the entries of a mapping, in the order of the file.
func (n node) pairs() ([]*ast.MappingValueNode, error) {
	switch v := n.plain().(type) {
	case *ast.MappingNode:
		return v.Values, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{v}, nil
	}
	return nil, n.fail("must be a mapping")
}

// fields reads a mapping with known keys.
func (n node) fields(known ...string) (map[string]node, error) {
	all, err := n.entries()
	if err != nil {
		return nil, err
	}
	out := map[string]node{}
	for _, e := range all {
		if !slices.Contains(known, e.key) {
			return nil, e.at.fail("unknown field '%s' (known: %s)", e.key, strings.Join(known, ", "))
		}
		out[e.key] = e.value
	}
	return out, nil
}

// An entry is one pair of a mapping.
type entry struct {
	key   string
	at    node // the key, for messages
	value node
}

func (n node) entries() ([]entry, error) {
	pairs, err := n.pairs()
	if err != nil {
		return nil, err
	}
	var out []entry
	seen := map[string]bool{}
	for _, pair := range pairs {
		at := node{path: n.path, ast: pair.Key, tree: n.tree}
		key, ok := keyText(pair.Key)
		if !ok {
			return nil, at.fail("keys must be plain text")
		}
		if seen[key] {
			return nil, at.fail("'%s' appears twice", key)
		}
		seen[key] = true
		path := strings.TrimPrefix(n.path+"."+key, ".")
		out = append(out, entry{key, at, node{path: path, ast: pair.Value, tree: n.tree}})
	}
	return out, nil
}

func keyText(k ast.MapKeyNode) (string, bool) {
	switch v := k.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.MappingKeyNode, *ast.MergeKeyNode:
		return "", false
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return k.GetToken().Value, true
	}
	return "", false
}

// items are the elements of a sequence.
func (n node) items() ([]node, error) {
	v, ok := n.plain().(*ast.SequenceNode)
	if !ok {
		return nil, n.fail("must be a list")
	}
	out := make([]node, 0, len(v.Values))
	for i, item := range v.Values {
		out = append(out, node{path: n.path + "[" + strconv.Itoa(i) + "]", ast: item, tree: n.tree})
	}
	return out, nil
}

// oneOrMore reads a list, or a single value as a list of one.
func (n node) oneOrMore() ([]node, error) {
	if _, ok := n.plain().(*ast.SequenceNode); ok {
		return n.items()
	}
	return []node{n}, nil
}

func (n node) text() (string, error) {
	switch v := n.plain().(type) {
	case *ast.StringNode:
		return v.Value, nil
	case *ast.LiteralNode:
		return v.Value.Value, nil
	}
	return "", n.fail("must be text (quote it)")
}

func (n node) texts() ([]string, error) {
	nodes, err := n.oneOrMore()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range nodes {
		s, err := item.text()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// number reads a whole number written in decimal.
func (n node) number(least, most int64) (int64, error) {
	v, ok := n.plain().(*ast.IntegerNode)
	if !ok {
		return 0, n.fail("must be a whole number")
	}
	i, err := strconv.ParseInt(v.Token.Value, 10, 64)
	if err != nil || (len(v.Token.Value) > 1 && v.Token.Value[0] == '0') {
		return 0, n.fail("must be a whole number in decimal")
	}
	if i < least || i > most {
		return 0, n.fail("must be from %d to %d", least, most)
	}
	return i, nil
}

func (n node) truth() (bool, error) {
	v, ok := n.plain().(*ast.BoolNode)
	if !ok {
		return false, n.fail("must be true or false")
	}
	return v.Value, nil
}

func (n node) duration() (time.Duration, error) {
	s, err := n.text()
	if err != nil {
		return 0, n.fail("must be a duration like 50ms")
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > time.Hour {
		return 0, n.fail("'%s' is no duration from 0s to 1h", s)
	}
	return d, nil
}
