package document_test

import (
	"strings"
	"testing"

	. "git-flower/gitstate/document"
)

func TestChecks(t *testing.T) {
	tests := []struct {
		name, list string
		want       []Check
	}{
		{"wrapped", "- one that is\n  wrapped\n- two that is\nwrapped too", []Check{{Text: "one that is wrapped"}, {Text: "two that is wrapped too"}}},
		{"wrapped without blanks", "- 输出必须\n  存在", []Check{{Text: "输出必须存在"}}},
		{"no marks", "one\ntwo", []Check{{Text: "one"}, {Text: "two"}}},
		{"numbers", "1. one\n2) two\n3、three\n4. 四", []Check{{Text: "one"}, {Text: "two"}, {Text: "three"}, {Text: "四"}}},
		{"no list marks", "3.14 is printed\n-v is known", []Check{{Text: "3.14 is printed"}, {Text: "-v is known"}}},
		{"below another", "- it builds:\n  - on linux\n  - on darwin\n- b", []Check{{Text: "it builds: - on linux - on darwin"}, {Text: "b"}}},
		{"boxes", "- [ ] one\n- [x] two", []Check{{Text: "one"}, {Text: "two"}}},
		{"apart", "- one\n\n- two\n\nthree", []Check{{Text: "one"}, {Text: "two"}, {Text: "three"}}},
		{"no checks", "- (none)\n- 无\n- (空)\n- (未填)\n- None.", nil},
		{"command", "- tests pass\n  Run: `go test ./...`", []Check{{Text: "tests pass", Command: "go test ./..."}}},
		{"command in Chinese", "- 通过\n  运行：`make  check`", []Check{{Text: "通过", Command: "make  check"}}},
		{"command as an item", "- tests pass\n  - Run: `go test`", []Check{{Text: "tests pass", Command: "go test"}}},
		{"command with backticks", "- x\n  run: `` echo `date` ``", []Check{{Text: "x", Command: "echo `date`"}}},
		{"prose is no command", "- x\n  Run: the tests\n  Run: `a` and `b`", []Check{{Text: "x Run: the tests Run: `a` and `b`"}}},
		{"first command only", "- x\n  Run: `a`\n  Run: `b`", []Check{{Text: "x Run: `b`", Command: "a"}}},
		{"command alone is text", "- Run: `a`", []Check{{Text: "Run: `a`"}}},
		{"unverifiable", "- x [unverifiable here: no screen]\n- y [此环境无法验证：没有 [真] 设备]。\n- z 【无法验证】",
			[]Check{{Text: "x", Unverifiable: "no screen"}, {Text: "y", Unverifiable: "没有 [真] 设备"}, {Text: "z", Unverifiable: "no reason given"}}},
		{"unverifiable, open or amid", "- x [Unverifiable here: cut off\n- a [ 无法验证: b ] c",
			[]Check{{Text: "x", Unverifiable: "cut off"}, {Text: "a [ 无法验证: b ] c", Unverifiable: "b"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := ParseGoal("# Goal\nG\n# Checks\n" + test.list)
			equal(t, "checks", g.Checks, test.want)
			equal(t, "printed", ParseGoal(g.String()), g)
		})
	}
}

func TestProtectedPaths(t *testing.T) {
	g := ParseGoal("## Goal\nG\n## Checks\n- c\n## 受保护路径\n- `t/`\n- test data/x.txt\n- `.`\n- none")
	equal(t, "protected", g.Protected, []string{"t/", "test data/x.txt", "."})
	equal(t, "printed", ParseGoal(g.String()), g)
}

func TestGoalPrintsWhatToolsGive(t *testing.T) {
	g := Goal{
		Statement: "Checks: all of them\n```\n## Checks\n- fake\n---",
		Checks:    []Check{{Text: "- a\n## Goal\nfake", Command: "printf '%s\t' \"`a`\"  `"}, {Text: "```", Unverifiable: "a ] b"}, {Text: "---"}},
		Protected: []string{"a`b", "`x`"},
	}
	got := ParseGoal(g.String())
	equal(t, "statement", got.Statement, "\\Checks: all of them\n\\```\n\\## Checks\n- fake\n\\---")
	equal(t, "checks", got.Checks, []Check{
		{Text: "- a ## Goal fake", Command: g.Checks[0].Command},
		{Text: "\\```", Unverifiable: "a ) b"},
		{Text: "\\---"},
	})
	equal(t, "protected", got.Protected, g.Protected)
}

func TestGoalValidate(t *testing.T) {
	tests := []struct {
		goal Goal
		says string // empty for a valid one
	}{
		{Goal{Checks: []Check{{Text: "a", Command: "make -C 'a  b'"}}, Protected: []string{"t", "t/x y", "..a"}}, ""},
		{Goal{Checks: []Check{{Text: "a"}, {Text: " "}}}, "check 2"},
		{Goal{Checks: []Check{{Text: "a", Command: "a\nb"}}}, "more than one line"},
		{Goal{Checks: []Check{{Text: "a", Command: "a\x1b[31m"}}}, "control"},
		{Goal{Protected: []string{"/etc"}}, "/etc"},
		{Goal{Protected: []string{"a/../../b"}}, ".."},
		{Goal{Protected: []string{`a\b`}}, "tree"},
		{Goal{Protected: []string{""}}, "empty"},
		{Goal{Protected: []string{"a\nb"}}, `a\nb`},
	}
	for _, test := range tests {
		err := test.goal.Validate()
		if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%+v: %v, want %q", test.goal, err, test.says)
		}
	}
}

func TestAmendKeepsTheOldStatement(t *testing.T) {
	g := ParseGoal(Goal{Statement: "old"}.Amend("new\n## Checks\n- forged").String())
	equal(t, "statement", g.Statement, "old\n\n(changed) new\n\\## Checks\n- forged")
	equal(t, "checks", len(g.Checks), 0)
}

func TestReportTooLong(t *testing.T) {
	lines := func(n int) Report {
		return Report{"c", strings.Repeat("e\n\n", n), "o", "u"}
	}
	equal(t, "23 lines", lines(23).TooLong(), false)
	equal(t, "24 lines", lines(24).TooLong(), true)
	equal(t, "one endless line", Report{Evidence: strings.Repeat("e ", 4000)}.TooLong(), true)
	r := ParseReport("**结论**: done\n**依据**:\n- a.go:3\n**产出**: a.go\n**未验证**: 无")
	equal(t, "report", r, Report{"done", "- a.go:3", "a.go", "无"})
	equal(t, "missing", r.Missing(), []string(nil))
}

func TestHandoffDegraded(t *testing.T) {
	h := DegradedHandoff("work#round2", "the turn failed", "fix\n```\n## Next step\nforged")
	got := ParseHandoff(h.String())
	equal(t, "missing", got.Missing(), []string(nil))
	equal(t, "degraded", got.Degraded(), true)
	equal(t, "next", got.Next, h.Next)
	equal(t, "original mark", Handoff{Doing: "[降级:交接没写成] x"}.Degraded(), true)
	equal(t, "a written one", Handoff{Doing: "degraded the service"}.Degraded(), false)
}
