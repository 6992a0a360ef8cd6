package plugin

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits of a file's head. The parser's time grows with the square of the depth.
const (
	maxHead     = 8 << 10 // bytes
	maxBrackets = 100
)

// A head is what stands between the first two lines of "---" in a file.
type head map[string]value

// A value is a text, a list of texts, or neither.
type value struct {
	line int
	text string
	list []string
	kind valueKind
}

type valueKind int

const (
	other valueKind = iota // nested: of no use here
	scalar
	list
	null
)

// split parts a file into its head and its body. line is where the head begins.
func split(text string) (yamlText, body string, err *Problem) {
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimRight(first, " \t") != "---" {
		return "", "", &Problem{Line: 1, What: "it does not begin with '---' and the lines that describe it"}
	}
	for at := 0; at < len(rest); {
		end := strings.IndexByte(rest[at:], '\n')
		next := len(rest)
		line := rest[at:]
		if end >= 0 {
			line, next = rest[at:at+end], at+end+1
		}
		if strings.TrimRight(line, " \t") == "---" {
			return rest[:at], rest[next:], nil
		}
		at = next
	}
	return "", "", &Problem{Line: 1, What: "its head has no end: a line '---' is missing"}
}

// parseHead reads a head; its first line is line 2 of the file.
func parseHead(text string) (h head, err *Problem) {
	defer func() {
		if r := recover(); r != nil { // of the parser, for a text that nobody has thought of
			h, err = nil, &Problem{Line: 2, What: "its head cannot be read"}
		}
	}()
	switch {
	case len(text) > maxHead:
		return nil, &Problem{Line: 2, What: fmt.Sprintf("its head has %d bytes, and may have %d", len(text), maxHead)}
	case strings.Count(text, "[")+strings.Count(text, "{") > maxBrackets || deepLine(text):
		return nil, &Problem{Line: 2, What: "its head is nested too deeply"}
	}
	file, bad := parser.ParseBytes([]byte(text), 0)
	if bad != nil {
		// As Claude Code has it: many descriptions have a colon and no quotes.
		if again, err := parser.ParseBytes([]byte(quoted(text)), 0); err == nil {
			file, bad = again, nil
		}
	}
	if bad != nil {
		return nil, syntaxProblem(bad)
	}
	h = head{}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if err := h.take(doc.Body); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// deepLine finds lists in lists in one line, which need no brackets.
func deepLine(text string) bool {
	for line := range strings.Lines(text) {
		if rest := strings.TrimLeft(line, " "); strings.HasPrefix(rest, "- - ") || strings.HasPrefix(rest, "? ") {
			return true
		}
	}
	return false
}

// bareLine is a field with a text of one line that stands without quotes.
var bareLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^([A-Za-z][A-Za-z0-9_-]*):[ \t]+([^\s"'\[{|>&*!#%@` + "`" + `].*?)[ \t]*$`)
})

// quoted is a head whose texts of one line with a colon in them have quotes.
func quoted(text string) string {
	return bareLine().ReplaceAllStringFunc(text, func(line string) string {
		m := bareLine().FindStringSubmatch(line)
		if !strings.Contains(m[2], ": ") {
			return line
		}
		return m[1] + ": '" + strings.ReplaceAll(m[2], "'", "''") + "'"
	})
}

func syntaxProblem(err error) *Problem {
	var at yaml.Error
	if !errors.As(err, &at) {
		return &Problem{Line: 2, What: "its head is no YAML"}
	}
	what := "its head is no YAML: " + oneLine(at.GetMessage())
	return &Problem{Line: lineOf(at.GetToken()), What: what}
}

// lineOf is the line in the file, where the head begins with the second.
func lineOf(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 2
	}
	return t.Position.Line + 1
}

func (h head) take(body ast.Node) *Problem {
	var pairs []*ast.MappingValueNode
	switch v := body.(type) {
	case *ast.MappingNode:
		pairs = v.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{v}
	case *ast.CommentGroupNode:
		return nil
	default:
		return &Problem{Line: lineOf(body.GetToken()), What: "its head is not of the form 'name: value'"}
	}
	for _, pair := range pairs {
		key, line := keyOf(pair), lineOf(pair.Key.GetToken())
		if _, twice := h[key]; twice {
			return &Problem{Line: line, What: fmt.Sprintf("'%s' stands twice in its head", cut(oneLine(key), maxName))}
		}
		v, ok := valueOf(pair.Value)
		if !ok {
			return &Problem{Line: line, What: fmt.Sprintf("the value of '%s' has an anchor, an alias or a tag, which are not read", cut(oneLine(key), maxName))}
		}
		v.line = line
		h[key] = v
	}
	return nil
}

func keyOf(pair *ast.MappingValueNode) string {
	if s, ok := pair.Key.(*ast.StringNode); ok {
		return s.Value
	}
	return pair.Key.String()
}

// valueOf reads a value; not ok where it is not what it looks like.
func valueOf(n ast.Node) (v value, ok bool) {
	switch n := n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		return v, false
	case nil, *ast.NullNode:
		return value{kind: null}, true
	case *ast.StringNode:
		return value{kind: scalar, text: n.Value}, true
	case *ast.LiteralNode:
		return value{kind: scalar, text: n.Value.Value}, true
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return value{kind: scalar, text: n.GetToken().Value}, true
	case *ast.SequenceNode:
		v.kind = list
		for _, item := range n.Values {
			one, ok := valueOf(item)
			if !ok {
				return v, false
			}
			if one.kind != scalar {
				return value{}, true
			}
			v.list = append(v.list, one.text)
		}
		return v, true
	}
	return value{}, true
}

// words are a value's, which may be a list or a text with commas, and without
// commas, with blanks, between them. What stands in parentheses belongs to a word.
func (v value) words() []string {
	words := []string{}
	items := v.list
	if v.kind == scalar {
		items = parts(v.text)
	}
	for _, item := range items {
		if item = strings.TrimSpace(item); item != "" {
			words = append(words, cut(oneLine(item), maxDescription))
		}
	}
	return words
}

// parts cuts at commas, else at blanks, outside of parentheses.
func parts(text string) []string {
	if all := cutAt(text, ","); len(all) > 1 {
		return all
	}
	return cutAt(text, " \t\n")
}

func cutAt(text, separators string) []string {
	var all []string
	depth, begin := 0, 0
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth <= 0 && strings.ContainsRune(separators, r):
			all = append(all, text[begin:i])
			begin = i + 1
		}
	}
	return append(all, text[begin:])
}
