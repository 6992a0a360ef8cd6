package document_test

import (
	"strings"
	"testing"

	. "git-flower/gitstate/document"
)

// accepted are the words of spec/surface.md 6.7 by the state they mean.
var accepted = map[State][]string{
	Reached: {"达成", "已达成", "ACHIEVED", "DONE", "1", "true", "reached"},
	NotYet:  {"未达成", "没达成", "没有达成", "尚未达成", "NOT YET", "NOT_YET", "NOT ACHIEVED", "0", "false", "not-yet"},
	Unreachable: {"无法达成", "不可达成", "做不到", "无法验证", "没法验证", "验证不了", "无法判定", "UNREACHABLE", "UNVERIFIABLE", "IMPOSSIBLE",
		"cannot be verified here"},
}

func TestEveryAcceptedState(t *testing.T) {
	for state, words := range accepted {
		for _, word := range words {
			for _, w := range []string{word, strings.ToLower(word), strings.ToUpper(word)} {
				for _, form := range []string{
					"%", "**%**", "%.", "%。\n", "## Verdict\n%", "## 结论\n\n**%**\n\n## Reason\nr", "Verdict: %", "判定：%!", "**Conclusion:** %.",
					"**State: %**", "text before\n# Result\n`%`\nmore words here", "Verdict: %\nFailed: none", "结论:%\n未通过:\n- (无)",
				} {
					text := strings.ReplaceAll(form, "%", w)
					if v := ParseVerdict(text); !v.Clear || v.State != state || v.Failed != nil {
						t.Errorf("%q: %v, clear %v, failed %q", text, v.State, v.Clear, v.Failed)
					}
				}
			}
		}
	}
}

func TestUnclearVerdicts(t *testing.T) {
	for _, text := range []string{
		"", " ", "yes", "ok", "looks mostly 达成", "error 1 of 3", "Verdict: error 1", "achieved, no gaps", "Achieved. Nothing left", "achieved?",
		"not achieved yet, but 1", "结论:不算达成", "Verdict", "Verdict:", "Verdict: achieved / not yet / unreachable", "achieved\nnot yet",
		"achieved\n\nAll is well.", "1. Verdict\nachieved", "- Verdict: achieved", "```\nVerdict: achieved\n```", "> Verdict: achieved",
		"The verdict: achieved", "# Goal\nachieved", "## Verdict of round 1\nachieved", "## Verdict\n- achieved", "## Verdict\nRound 1: achieved",
	} {
		if v := ParseVerdict(text); v.Clear || v.State != NotYet {
			t.Errorf("%q: %v, clear %v", text, v.State, v.Clear)
		}
	}
}

func TestReachedWithSomethingAgainstIt(t *testing.T) {
	for _, rest := range []string{
		"## Failed\n- check 2", "Gaps: one", "未通过: 第 2 条", "## Not passed\n1. a\n2. b", "Failed: none\nFailing checks: 2",
		"## Not passed\n```\ncheck 2\n```", "## Reason\n```\ncut off", "## Check results\n1. passed: ok\n2. failed: exit 1",
		"## Check results\n1. mostly passed", "## Not passed\nCheck results:\n- check 2", "Conclusion: not yet", "Failed: no, all of it",
	} {
		for _, order := range []string{"## Verdict\nAchieved\n\n" + rest, rest} {
			if v := ParseVerdict(order); v.State == Reached || v.Clear && v.State == Reached {
				t.Errorf("%q: %v", order, v.State)
			}
		}
		v := ParseVerdict("## Verdict\nAchieved\n\n" + rest)
		if v.Clear {
			t.Errorf("%q is clear", rest)
		}
		if !strings.Contains(v.String(), "unclear") || ParseVerdict(v.String()).Clear {
			t.Errorf("%q prints as clear:\n%s", rest, v)
		}
	}
}

func TestVerdictStateIsTheFirstLineOnly(t *testing.T) {
	v := ParseVerdict("## Verdict\nNOT YET\nCheck 3 is unverifiable here.\n\n## Reason\nit fails\n## Failed\n1. a\n   wrapped\n2. b")
	equal(t, "verdict", v, Verdict{State: NotYet, Clear: true, Reason: "it fails", Failed: []string{"a wrapped", "b"}})
}

func TestVerdictPrintsAndReadsBack(t *testing.T) {
	for _, v := range []Verdict{
		{State: Reached, Clear: true, Reason: "all seen", Checks: []CheckResult{{1, true, "exit 0: ok"}, {2, true, ""}}},
		{State: NotYet, Clear: true, Failed: []string{"a", "b"}, Checks: []CheckResult{{2, false, "exit 1"}, {1, true, "seen"}}},
		{State: Unreachable, Clear: true, Reason: "no device\n\nand no screen"},
		{Reason: "unclear"},
	} {
		equal(t, "verdict", ParseVerdict(v.String()), v)
	}
}

func TestCheckResults(t *testing.T) {
	for text, want := range map[string][]CheckResult{
		"- 1 passed: a: b\n- 2 failed: exit 1\n  wrapped": {{1, true, "a: b"}, {2, false, "exit 1 wrapped"}},
		"1. passed: a\n2. failed: b\n3. Passed":           {{1, true, "a"}, {2, false, "b"}, {3, true, ""}},
		"- 3 通过：看到了\n- 4 未通过":                             {{3, true, "看到了"}, {4, false, ""}},
		"- passed\n- 0 passed\n- x passed: y\n- 5 ok":     nil,
	} {
		v := ParseVerdict("## Verdict\nnot yet\n## Check results\n" + text)
		equal(t, text, v.Checks, want)
	}
}

func TestVerdictAgainstItsGoal(t *testing.T) {
	goal := Goal{Checks: []Check{{Text: "a"}, {Text: "b"}}}
	seen := func(results ...CheckResult) Verdict { return Verdict{State: Reached, Clear: true, Checks: results} }
	tests := []struct {
		name    string
		verdict Verdict
		failed  []string // nil: it stands
	}{
		{"all passed", seen(CheckResult{1, true, "x"}, CheckResult{2, true, "y"}), nil},
		{"no results", seen(), []string{"check 1: a", "check 2: b"}},
		{"one open", seen(CheckResult{1, true, "x"}), []string{"check 2: b"}},
		{"one failed", seen(CheckResult{1, true, "x"}, CheckResult{2, false, "y"}), []string{"check 2: b"}},
		{"no evidence", seen(CheckResult{1, true, " \x1b[0m "}, CheckResult{2, true, "y"}), []string{"check 1: a"}},
		{"said twice", seen(CheckResult{1, true, "x"}, CheckResult{2, false, "y"}, CheckResult{2, true, "z"}), []string{"check 2: b"}},
		{"failed besides", Verdict{State: Reached, Checks: seen(CheckResult{1, true, "x"}, CheckResult{2, true, "y"}).Checks,
			Failed: []string{"none", "c"}}, []string{"c"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := test.verdict.Against(goal)
			equal(t, "failed", v.Failed, test.failed)
			equal(t, "reached", v.State == Reached, test.failed == nil)
			equal(t, "clear", v.Clear, test.verdict.Clear)
		})
	}
	v := Verdict{State: Unreachable, Clear: true}
	equal(t, "another state stays", v.Against(goal), v)
}

func TestFeedbackSaysWhatIsMissing(t *testing.T) {
	text := Verdict{Clear: true, Reason: "one test is red", Failed: []string{"c", "none"}}.Feedback()
	for _, s := range []string{"not been reached", "one test is red", "- c", "only these gaps", "not start over", "not widen"} {
		equal(t, s, strings.Contains(text, s), true)
	}
	equal(t, "none", strings.Contains(text, "- none"), false)
	equal(t, "no reason", strings.Contains(Verdict{Clear: true}.Feedback(), "gave none"), true)
}

func TestStateWords(t *testing.T) {
	for _, s := range []State{NotYet, Reached, Unreachable} {
		got, ok := ParseState(s.String())
		equal(t, s.String(), got == s && ok, true)
	}
	for _, word := range []string{"", "Reached", "achieved", "not yet", "reached "} {
		got, ok := ParseState(word)
		equal(t, word, !ok && got == NotYet, true)
	}
	equal(t, "out of range", State(7).String(), "not-yet")
}
