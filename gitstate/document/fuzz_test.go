package document_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	. "git-flower/gitstate/document"
)

var seeds = []string{
	"", "## Goal\nG\n## Checks\n- a\n  Run: `b`\n- c [unverifiable here: d]\n## Protected paths\n- `t/`", "**目标**：a\n2. 验收条件: b\n### 不做什么\nc",
	"1、目标\nG\n2、验收标准\nA", "```\n## Goal\n```\n~~~\n", "## Verdict\nreached\n## Not passed\n- x", "Verdict: 1\nFailed: none", "- [ ] - ```\n  ---",
	"结论:达成 / 未达成", "Goal: - ```\nGoal: ---", "## Check results\n1. passed: x\n2. failed", "\x1b[31mGoal:\u202e x\xff", "1. Goal\n1. a\n2. Goal: b\n\nx\n3. Goal",
}

// settles fails unless printing what was read, and again, gives the same bytes.
func settles(t interface{ Errorf(string, ...any) }, text string) {
	for _, k := range kinds {
		once := k.print(text)
		if twice := k.print(once); once != twice {
			t.Errorf("%s: %q prints as\n%q, then as\n%q", k.what, text, once, twice)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { settles(t, text) })
}

func FuzzClean(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	unfit := regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{feff}]|[ \t]\n|[ \t\n]\z|\A\n`)
	f.Fuzz(func(t *testing.T, text string) {
		clean := Clean(text)
		if !utf8.ValidString(clean) || unfit.MatchString(clean) || Clean(clean) != clean {
			t.Errorf("%q cleaned is %q, then %q", text, clean, Clean(clean))
		}
	})
}

func FuzzVerdict(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { believable(t, text) })
}

// The rule for Reached, said once more and otherwise: by regular expressions over
// the whole text. It is necessary, not sufficient.
const (
	reachedWord = `[*_` + "`" + ` \t]*(?i:达成|已达成|achieved|reached|done|1|true)[*_` + "`" + `.。!！ \t]*`
	stateName   = `(?i:verdict|conclusion|state|result|结论|判定)`
	failedName  = `(?i:not passed|failed checks|failed|failing checks|gaps|未通过)`
	opening     = ` {0,3}(?:#{1,6}[ \t]*)?(?:\*\*|__)? *(?:\d{1,3}[.)、）．][ \t]*)?(?:\*\*|__)? *`
	ending      = ` *(?:\*\*|__)?[ #]*[:：]? *(?:\*\*|__)?`
)

var (
	bareReached    = regexp.MustCompile(`\A` + reachedWord + `\z`)
	sectionReached = regexp.MustCompile(`(?m)^` + opening + stateName + ending + `\s*` + reachedWord + `$`)
	// a list of failures right behind its heading, its first line or inline
	failedEntry = regexp.MustCompile(`(?m)^(?:#{1,6} |\*\*)` + failedName + `(?:\*\*)?\n+[-*] (.+)$|^` + failedName + `[:：](.+)$`)
	saysNone    = regexp.MustCompile(`(?i)\A[^\pL\pN]*(?:none|n/a|nothing|no failed checks|all passed|无|没有|暂无|空|全部通过|empty|not filled in|to be filled in|to fill in|未填|未填写|待填|待填写)?[^\pL\pN]*\z`)
)

func believable(t interface{ Errorf(string, ...any) }, text string) {
	v := ParseVerdict(text)
	if !v.Clear && v.State != NotYet {
		t.Errorf("%q is not clear and %v", text, v.State)
	}
	if v.State != Reached {
		return
	}
	clean := Clean(text)
	if !bareReached.MatchString(clean) && !sectionReached.MatchString(clean) {
		t.Errorf("%q is reached, and nowhere says so", text)
	}
	if strings.Contains(clean, "```") || strings.Contains(clean, "~~~") {
		return
	}
	for _, m := range failedEntry.FindAllStringSubmatch(clean, -1) {
		if !saysNone.MatchString(m[1] + m[2]) {
			t.Errorf("%q is reached, although %q failed", text, m[1]+m[2])
		}
	}
}

// fragments make random text that is nearly a document.
var fragments = []string{
	"\n", "\n", "\n\n", " ", "  ", "## ", "# ", "**", ":", "：", ": ", "- ", "1. ", "2. ", "* ", "```", "~~~", "---", "`", "[", "]", "(", ")", "\t", `\`,
	"Goal", "目标", "Checks", "判定", "Boundaries", "验收", "Unknowns", "Verdict", "结论", "Reason", "Failed", "未通过", "Next", "Doing now", "Output",
	"Conclusion", "Evidence", "Unverified", "Check results", "passed", "failed", "reached", "achieved", "达成", "not yet", "没有达成", "1", "true", "unreachable",
	"none", "(空)", "Run: `x`", "[unverifiable here: x]", "words of no meaning", "，", "不", "\r\n", "\x1b[1m",
}

func nearly(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 40).Draw(t, "text"), "")
}

func TestNearDocuments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := nearly(t)
		settles(t, text)
		believable(t, text)
	})
}

// A verdict put together at random is reached exactly if its parts say so.
func TestVerdictsOfKnownParts(t *testing.T) {
	type part struct {
		text    string
		reached bool
	}
	states := []part{{"achieved", true}, {"**达成**。", true}, {"not yet", false}, {"mostly achieved", false}, {"", false}, {"achieved, but", false}}
	heads := []string{"## Verdict\n%", "结论：%", "**Conclusion**: %", "2. State: %"}
	reasons := []string{"", "\n## Reason\nachieved 1 of 2\n达成", "\n理由: 1\n- Verdict: achieved", "\nReason:\n```\nVerdict: not yet\n```"}
	failures := []part{{"", true}, {"\n## Failed\n- (none)", true}, {"\n未通过：无。", true}, {"\n## Gaps\n- 1", false}, {"\nFailed: 达成", false}}
	rapid.Check(t, func(t *rapid.T) {
		state := rapid.SampledFrom(states).Draw(t, "state")
		failed := rapid.SampledFrom(failures).Draw(t, "failed")
		text := strings.ReplaceAll(rapid.SampledFrom(heads).Draw(t, "head"), "%", state.text) +
			rapid.SampledFrom(reasons).Draw(t, "reason") + failed.text
		v := ParseVerdict(text)
		if want := state.reached && failed.reached; (v.State == Reached) != want {
			t.Fatalf("%q: %v", text, v.State)
		}
		believable(t, text)
	})
}

// plainText has no signs of structure.
func plainText() *rapid.Generator[string] {
	return rapid.StringMatching(`[a-zé标目]{1,8}( [a-zé标目.,;]{1,8}){0,4}`)
}

func TestPlainValuesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(what string) string { return plainText().Draw(t, what) }
		b := Brief{text("goal"), text("acceptance") + "\n- " + text("item"), text("boundaries"), text("unknowns")}
		if got := ParseBrief(b.String()); got != b {
			t.Fatalf("%+v read back is %+v", b, got)
		}
		g := Goal{Statement: text("statement")}
		for range rapid.IntRange(1, 4).Draw(t, "checks") {
			g.Checks = append(g.Checks, Check{Text: "x " + text("check"), Command: rapid.SampledFrom([]string{"", "a  'b`'", "``x"}).Draw(t, "command"),
				Unverifiable: rapid.SampledFrom([]string{"", "why", "a [b] c"}).Draw(t, "unverifiable")})
			g.Protected = append(g.Protected, text("path"))
		}
		got := ParseGoal(g.String())
		if got.String() != g.String() || len(got.Checks) != len(g.Checks) {
			t.Fatalf("%+v read back is %+v", g, got)
		}
		for i := range g.Checks {
			if got.Checks[i] != g.Checks[i] {
				t.Fatalf("%+v read back is %+v", g.Checks[i], got.Checks[i])
			}
		}
	})
}

// Values from a tool's input may hold anything: what is printed is still one
// document, and no word of a value lands in another section.
func TestHostileValuesStayInTheirSections(t *testing.T) {
	letters := regexp.MustCompile(`[^\pL\pN]+`)
	rapid.Check(t, func(t *rapid.T) {
		g := Goal{Statement: "s " + nearly(t), Checks: []Check{{Text: "c " + nearly(t)}, {Text: "last"}}, Protected: []string{"p" + nearly(t)}}
		got := ParseGoal(g.String())
		if got.String() != ParseGoal(got.String()).String() {
			t.Fatalf("%+v does not settle", g)
		}
		if n := len(got.Checks); n != 2 || got.Checks[1].Text != "last" || len(got.Protected) != 1 {
			t.Fatalf("%+v read back is %+v", g, got)
		}
		plain := func(s string) string { return letters.ReplaceAllString(Clean(s), "") }
		if plain(got.Statement) != plain(g.Statement) {
			t.Fatalf("statement %q read back is %q", g.Statement, got.Statement)
		}
	})
}
