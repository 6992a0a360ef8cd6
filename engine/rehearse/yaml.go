package rehearse

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits on a script's text. The parser's time grows with the square of the
// depth (50,000 open brackets take 8 s), and aliases could make a small file huge.
const (
	maxScript  = 256 << 10
	maxDepth   = 64
	maxAliased = 4 << 20 // bytes of text after all aliases are put in
)

// A node is a value in the script with the path that leads to it.
type node struct {
	path string
	ast  ast.Node
	tree *tree
}

// A tree holds what nodes share: the anchors.
type tree struct{ anchors map[string]ast.Node }

// fail reports a fault of the script at n.
func (n node) fail(format string, args ...any) error {
	pos := "1:1"
	if n.ast != nil {
		pos = position(begin(n.ast))
	}
	path := n.path
	if path == "" {
		path = "script"
	}
	return fmt.Errorf("%s: %s: %s", pos, path, fmt.Sprintf(format, args...))
}

// begin is the first token of a value; a mapping's own is the colon.
func begin(n ast.Node) *token.Token {
	switch v := n.(type) {
	case *ast.MappingNode:
		if len(v.Values) > 0 && !v.IsFlowStyle {
			return v.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		return v.Key.GetToken()
	}
	return n.GetToken()
}

func position(t *token.Token) string {
	if t == nil || t.Position == nil {
		return "1:1"
	}
	return fmt.Sprintf("%d:%d", t.Position.Line, t.Position.Column)
}

// parseYAML reads exactly one document.
func parseYAML(text []byte) (node, error) {
	root := node{tree: &tree{anchors: map[string]ast.Node{}}}
	if len(text) > maxScript {
		return root, root.fail("longer than %d bytes", maxScript)
	}
	if err := tooDeep(string(text)); err != nil {
		return root, err
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return root, syntaxError(err)
	}
	docs := file.Docs[:0:0]
	for _, d := range file.Docs {
		if d.Body != nil {
			docs = append(docs, d)
		}
	}
	if len(docs) == 0 {
		return root, root.fail("empty")
	}
	if len(docs) > 1 {
		return root, node{ast: docs[1].Body}.fail("a second document")
	}
	root.ast = docs[0].Body
	return root, root.tree.collect(root)
}

// syntaxError puts the parser's complaint on one line.
func syntaxError(err error) error {
	var at yaml.Error
	if !errors.As(err, &at) {
		return fmt.Errorf("1:1: script: %w", err)
	}
	return fmt.Errorf("%s: script: %s", position(at.GetToken()), at.GetMessage())
}

// tooDeep refuses deep nesting before the parser sees it. It counts brackets
// wherever they stand; text with more than a thousand unclosed ones is refused too.
func tooDeep(text string) error {
	const flow = 1000
	depth := 0
	for number, line := range strings.Split(text, "\n") {
		for _, r := range line {
			switch r {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(0, depth-1)
			}
		}
		if depth > flow || strings.Count(line, "- ")+strings.Count(line, "? ") > flow {
			return fmt.Errorf("%d:1: script: nested too deeply", number+1)
		}
	}
	return nil
}

// collect finds the anchors, checks the depth and what aliases add.
func (t *tree) collect(root node) error {
	w := &walk{tree: t}
	if err := w.visit(root.ast, 0, false); err != nil {
		return err
	}
	if w.aliased > maxAliased {
		return root.fail("aliases make it longer than %d bytes", maxAliased)
	}
	return nil
}

type walk struct {
	tree    *tree
	aliased int
}

func (w *walk) visit(n ast.Node, depth int, anchored bool) error {
	at := node{ast: n}
	if depth > maxDepth {
		return at.fail("nested more than %d deep", maxDepth)
	}
	switch v := n.(type) {
	case *ast.MappingNode:
		for _, pair := range v.Values {
			if err := w.visit(pair.Value, depth+1, anchored); err != nil {
				return err
			}
		}
	case *ast.MappingValueNode:
		return w.visit(v.Value, depth+1, anchored)
	case *ast.SequenceNode:
		for _, item := range v.Values {
			if err := w.visit(item, depth+1, anchored); err != nil {
				return err
			}
		}
	case *ast.AnchorNode:
		if err := w.visit(v.Value, depth+1, true); err != nil {
			return err
		}
		w.tree.anchors[v.Name.String()] = v.Value
	case *ast.AliasNode:
		return w.alias(v, anchored)
	case *ast.TagNode:
		return at.fail("tags are not supported")
	}
	return nil
}

func (w *walk) alias(v *ast.AliasNode, anchored bool) error {
	at := node{ast: v}
	if anchored {
		return at.fail("an alias inside of an anchor")
	}
	target, ok := w.tree.anchors[v.Value.String()]
	if !ok {
		return at.fail("no anchor '%s' before this alias", v.Value.String())
	}
	w.aliased += len(target.String())
	if w.aliased > maxAliased {
		return at.fail("aliases make the script longer than %d bytes", maxAliased)
	}
	return nil
}

// plain looks through anchors and aliases.
func (n node) plain() ast.Node {
	switch v := n.ast.(type) {
	case *ast.AnchorNode:
		return v.Value
	case *ast.AliasNode:
		return n.tree.anchors[v.Value.String()]
	}
	return n.ast
}
