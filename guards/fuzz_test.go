package guards_test

import (
	"reflect"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"git-flower/guards"
)

// listed are the types of node that a look may be made of, written down here a
// second time.
var listed = strings.Fields("File Comment Stmt CallExpr Assign Redirect BinaryCmd Block Subshell IfClause ForClause WordIter WhileClause CaseClause CaseItem" +
	" TestClause UnaryTest BinaryTest TimeClause Word Lit SglQuoted DblQuoted ParamExp CmdSubst ProcSubst ArithmExp BinaryArithm UnaryArithm ParenArithm")

// unlisted is what in a printed command no look may have, or "".
func unlisted(t *testing.T, printed string) string {
	t.Helper()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(printed), "")
	if err != nil {
		return err.Error()
	}
	found := ""
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil || found != "" {
			return false
		}
		name := reflect.TypeOf(n).Elem().Name()
		if !strings.Contains(" "+strings.Join(listed, " ")+" ", " "+name+" ") {
			found = name
		}
		switch n := n.(type) {
		case *syntax.Stmt:
			if n.Background || n.Coprocess || n.Disown {
				found = "&"
			}
		case *syntax.Redirect:
			if n.Hdoc != nil || n.Op == syntax.RdrAll || n.Op == syntax.AppAll || n.Op == syntax.RdrInOut {
				found = n.Op.String()
			}
		case *syntax.ProcSubst:
			if n.Op != syntax.CmdIn {
				found = n.Op.String()
			}
		case *syntax.ParamExp:
			if n.Index != nil || n.Slice != nil || n.Repl != nil || n.Excl || n.Names != 0 {
				found = "a form of ${…}"
			}
		}
		return found == ""
	})
	return found
}

// A new version of the parser that knows more of an expansion must not pass
// what it then finds in it.
func TestExpansionsHaveNoNewParts(t *testing.T) {
	for kind, fields := range map[reflect.Type]int{reflect.TypeOf(syntax.ParamExp{}): 19, reflect.TypeOf(syntax.CmdSubst{}): 7, reflect.TypeOf(syntax.Stmt{}): 9,
		reflect.TypeOf(syntax.Assign{}): 6, reflect.TypeOf(syntax.Redirect{}): 5, reflect.TypeOf(syntax.CallExpr{}): 2, reflect.TypeOf(syntax.ForClause{}): 8} {
		if n := kind.NumField(); n != fields {
			t.Errorf("%v has %d fields, of which %d were looked at", kind, n, fields)
		}
	}
}

func TestLooksAreMadeOfWhatIsListed(t *testing.T) {
	for _, cmd := range allowed(t) {
		printed, _, _ := guards.Glance(cmd)
		if found := unlisted(t, printed); found != "" {
			t.Errorf("%q holds %s", printed, found)
		}
	}
}

// Whatever passes is made of what is listed, and passes again as itself.
func FuzzGlance(f *testing.F) {
	for name := range corpora {
		for i, r := range corpus(f, name) {
			if i%10 == 0 {
				f.Add(r.Cmd)
			}
		}
	}
	f.Fuzz(func(t *testing.T, cmd string) {
		printed, ok, reason := guards.Glance(cmd)
		if ok == (reason != "") {
			t.Errorf("%q: %v, %q", cmd, ok, reason)
		}
		if !ok {
			if strings.Contains(reason, "could not be read") {
				t.Errorf("%q: %s", cmd, reason)
			}
			return
		}
		if found := unlisted(t, printed); found != "" {
			t.Errorf("%q passes as %q with %s", cmd, printed, found)
		}
		if again, ok, reason := guards.Glance(printed); !ok || again != printed {
			t.Errorf("%q was printed as %q, which became %q (%s)", cmd, printed, again, reason)
		}
	})
}
