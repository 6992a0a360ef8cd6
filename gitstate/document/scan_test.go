package document

import "testing"

func TestListMark(t *testing.T) {
	tests := []struct {
		line   string
		size   int
		number int
	}{
		{"- a", 2, -1}, {"* a", 2, -1}, {"+ a", 2, -1}, {"• a", 4, -1}, {"  -  a", 5, -1}, {"-", 1, -1}, {"-\ta", 2, -1},
		{"1. a", 3, 1}, {"12) a", 4, 12}, {"3、a", 4, 3}, {"4）a", 4, 4}, {"5.", 2, 5}, {"6.中", 2, 6}, {"  7.  a", 6, 7},
		{"-a", 0, 0}, {"--", 0, 0}, {"**a**", 0, 0}, {"1.5", 0, 0}, {"1.a", 0, 0}, {"1 a", 0, 0}, {"1234. a", 0, 0}, {"a", 0, 0}, {"", 0, 0}, {"a - b", 0, 0},
	}
	for _, test := range tests {
		if got := listMark(test.line); got != (mark{test.size, test.number}) {
			t.Errorf("%q: %+v", test.line, got)
		}
	}
}

func TestRule(t *testing.T) {
	for line, want := range map[string]bool{
		"---": true, "***": true, "___": true, "- - -": true, "   *****": true, "-- -": true,
		"--": false, "- -": false, "--*": false, "    ---": false, "- --- a": false, "===": false, "": false, "—": false,
	} {
		if got := rule(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestOpeningFence(t *testing.T) {
	for line, want := range map[string]string{
		"```": "```", "````sh": "````", "~~~": "~~~", "~~~ `a`": "~~~", "      ```": "```", "- ```": "```", "1. ~~~~": "~~~~",
		"``": "", "```a```": "", "a ```": "", "> ```": "", `\` + "```": "", "~ ~ ~": "",
	} {
		if got := openingFence(line); got != want {
			t.Errorf("%q: %q", line, got)
		}
	}
}

func TestHeadingParts(t *testing.T) {
	g := newGrammar(true, "Goal|Goal: met|目标", "Next|Next step")
	tests := []struct {
		line string
		want heading
		ok   bool
	}{
		{"## Goal", heading{number: -1}, true},
		{"Goal: x: y", heading{body: "x: y", number: -1}, true},
		{"Goal: met", heading{body: "met", number: -1}, true}, // marked by nothing, so its colon is the mark
		{"## Goal: met: x", heading{body: "x", number: -1}, true},
		{"2. Next step: x", heading{section: 1, body: "x", number: 2}, true},
		{"2. Next", heading{section: 1, number: 2, unmarked: true}, true},
		{"2. **Next**", heading{section: 1, number: 2}, true},
		{"**2. Next**", heading{section: 1, number: -1}, true},
		{"__目标：x__", heading{body: "x", number: -1}, true},
		{"Next steps: x", heading{}, false},
		{"Next", heading{}, false},
		{"## Goal **x**", heading{}, false},
		{"####### Goal", heading{}, false},
	}
	for _, test := range tests {
		got, ok := g.heading(test.line)
		if ok != test.ok || ok && got != test.want {
			t.Errorf("%q: %+v, %v", test.line, got, ok)
		}
	}
}

func TestSpans(t *testing.T) {
	for code, want := range map[string]string{
		"a": "`a`", "a`b": "``a`b``", "`": "`` ` ``", "``a": "` ``a `", "a\nb": "`a b`", "": "``",
	} {
		if got := span(code); got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
	for text, want := range map[string]string{"`a`": "a", "`` ` ``": "`", "` a  b `": "a  b", "``a`b``": "a`b"} {
		if got, ok := cutSpan(text); !ok || got != want {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "`", "``", "a", "`a", "a`", "`a``", "`a` `b`", "`a` b", "` `"} {
		if got, ok := cutSpan(text); ok {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestMarksOfTheUnverifiable(t *testing.T) {
	tests := []struct {
		text, rest, reason string
		trailing           bool
	}{
		{"a [unverifiable here: b]", "a", "b", true},
		{"a [UNVERIFIABLE]", "a", noReason, true},
		{"a [  此环境无法验证  ： b ] 。", "a", "b", true},
		{"a [unverifiable by hand]", "a", "by hand", true},
		{"a [unverifiable here: b [c] d]", "a", "b [c] d", true},
		{"a [unverifiable here: b", "a", "b", true},
		{"a [unverifiable here: b] [unverifiable here: c]", "a [unverifiable here: b]", "c", true},
		{"[无法验证:b] a", "[无法验证:b] a", "b", false},
		{"a [b] c", "a [b] c", "", false},
		{"a [not unverifiable]", "a [not unverifiable]", "", false},
		{"unverifiable here: b", "unverifiable here: b", "", false},
	}
	for _, test := range tests {
		rest, reason, trailing := cutMark(test.text)
		if rest != test.rest || reason != test.reason || trailing != test.trailing {
			t.Errorf("%q: %q, %q, %v", test.text, rest, reason, trailing)
		}
	}
}

func TestWordsForNone(t *testing.T) {
	for _, text := range []string{"none", "None.", "(none)", "**None**", "N/A", "nothing", "all passed", "无", "（无）", "没有。", "全部通过", "-", "—", "[空]"} {
		if !noneWord(text) {
			t.Errorf("%q says none", text)
		}
	}
	for _, text := range []string{"no", "0", "none of the tests", "`none`", "not none", "无法验证", "all", "nothing works", "没有通过"} {
		if noneWord(text) {
			t.Errorf("%q does not say none", text)
		}
	}
}
