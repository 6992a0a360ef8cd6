package document

import (
	"reflect"
	"strings"
	"testing"
)

func TestItems(t *testing.T) {
	tests := []struct {
		name, body string
		want       [][]string
	}{
		{"empty", "", nil},
		{"marks", "- a\n* b\n+ c\n1. d\n2) e", [][]string{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}},
		{"indented list", "  - a\n  - b\n- c", [][]string{{"a"}, {"b"}, {"c"}}},
		{"continued", "- a\n  b\nc\n- d", [][]string{{"a", "b", "c"}, {"d"}}},
		{"continued after a blank line", "- a\n\n  b\n\nc", [][]string{{"a", "b"}, {"c"}}},
		{"below", "- a\n  - b\n    c\n- d", [][]string{{"a", "- b", "c"}, {"d"}}},
		{"plain lines", "a\nb\n  c", [][]string{{"a"}, {"b", "c"}}},
		{"plain, then a list", "a:\n- b\n- c", [][]string{{"a:"}, {"b"}, {"c"}}},
		{"empty item", "-\n- a\n-\n  b", [][]string{{"a"}, {"", "b"}}},
		{"boxes", "- [ ] a\n- [X]  [ ] b\n- [y] c", [][]string{{"a"}, {"b"}, {"[y] c"}}},
		{"nothing said", "- none\n- (empty)\n- 无\n- a", [][]string{{"a"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got [][]string
			for _, it := range items(test.body) {
				got = append(got, it.lines)
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestItemNumbers(t *testing.T) {
	var got []int
	for _, it := range items("3. a\n- b\nplain\n12) c") {
		got = append(got, it.number)
	}
	if !reflect.DeepEqual(got, []int{3, -1, 12}) { // plain goes on with b
		t.Errorf("%v", got)
	}
}

func TestJoinWrapped(t *testing.T) {
	for joined, lines := range map[string]string{
		"a b":           "a|b",
		"a b c":         " a  b ||c",
		"必须存在":          "必须|存在",
		"必须 a 存在":       "必须|a|存在",
		"一，二":           "一，|二",
		"テストの結果":        "テスト|の結果",
		"한 국":           "한|국", // Korean has blanks
		"":              "",
		"one two, 三四 5": "one|two,|三|四|5",
	} {
		if got := joinWrapped(strings.Split(lines, "|")); got != joined {
			t.Errorf("%q: %q, want %q", lines, got, joined)
		}
	}
}

func TestTidy(t *testing.T) {
	for want, lines := range map[string]string{"": "||", "a": "|a||", "a|b": "a|b", "a||b": "a||||b||"} {
		if got := tidy(strings.Split(lines, "|")); got != strings.ReplaceAll(want, "|", "\n") {
			t.Errorf("%q: %q", lines, got)
		}
	}
}
