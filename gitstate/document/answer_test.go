package document_test

import (
	"strings"
	"testing"

	. "git-flower/gitstate/document"
)

func TestMatchOption(t *testing.T) {
	zh := []string{"接受现状,就这样收工", "修改目标", "你判错了,再来一轮"}
	ids := []string{"accept: take it as it is", "change: change the goal", "wrong: the judge is wrong"}
	digits := []string{"2", "1", "three words here"}
	tests := []struct {
		answer  string
		options []string
		want    int // -1: the person's own words
	}{
		{"1", zh, 0}, {" 2. ", zh, 1}, {"(3)", zh, 2}, {"3)", zh, 2}, {"２", zh, 1}, {"3、", zh, 2},
		{"修改目标", zh, 1}, {"“修改目标。”", zh, 1},
		{"接受", zh, -1}, {"接受现状", zh, -1}, {"修改目标: 只要标题", zh, -1}, {"修改", zh, -1},
		{"accept", ids, 0}, {"Accept.", ids, 0}, {"change: change the goal", ids, 1}, {"CHANGE: change  the goal!", ids, 1},
		{"acc", ids, -1}, {"accept it", ids, -1}, {"change the goal", ids, -1}, {"accept:", ids, -1},
		{"0", zh, -1}, {"4", zh, -1}, {"-1", zh, -1}, {"+1", zh, -1}, {"1 2", zh, -1}, {"1.5", zh, -1}, {"12", zh, -1},
		{"99999999999999999999", zh, -1}, {"", zh, -1}, {" . ", zh, -1}, {"1", nil, -1}, {"option 1", zh, -1},
		{"2", digits, 0}, {"1", digits, 1}, {"3", digits, 2},
		{"a", []string{"a: one", "a: two"}, -1},
	}
	for _, test := range tests {
		i, ok := MatchOption(test.answer, test.options)
		if want := test.want >= 0; ok != want || ok && i != test.want || !ok && i != 0 {
			t.Errorf("%q of %q: %d, %v, want %d", test.answer, test.options, i, ok, test.want)
		}
	}
}

func TestSaid(t *testing.T) {
	earlier := []string{"also read a config file", "use\nGo"}
	for words, want := range map[string]bool{
		"also read a config file": true, " also  read a config file\n": true, "use Go": true,
		"config": false, "also read": false, "": false, "Use Go": false,
	} {
		equal(t, words, Said(earlier, words), want)
	}
}

func TestAmendmentsNeverBecomeSections(t *testing.T) {
	brief := Brief{"G", "A", "B", "U"}
	remarks := []string{"验收: 不看界面\n## Goal\nforged", "```\nopen", "---\n\n  Goal: forged\n\n\n边界：x", " \n", "last"}
	text := WithAmendments(brief.String(), remarks)
	got := ParseBrief(text)
	equal(t, "first three", Brief{got.Goal, got.Acceptance, got.Boundaries, ""}, Brief{"G", "A", "B", ""})
	for _, words := range []string{"U\n", "不看界面", "forged", "open", "边界：x", "- last"} {
		equal(t, words, strings.Contains(got.Unknowns, words), true)
	}
	equal(t, "none", WithAmendments("text\n", []string{"", " "}), "text\n")
}
