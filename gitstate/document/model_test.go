package document_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	. "git-flower/gitstate/document"
)

// A block is some lines of a section and what must be left of them.
type block struct{ written, kept string }

func same(text string) block { return block{text, text} }

// blocks are lines that a section may hold, one of each tempting the reader to
// see structure where none is or to keep what is none.
var blocks = []block{
	same("plain words"), same("目标文件存在"), same("Goal without a colon"), same("验收时不看界面"), same("## Goals of others"),
	same("- Goal: in a bullet"), same("- item\n  边界: wrapped"), same("* **Unknowns**"), same("> ## Goal"), same(`\## Goal`),
	same("a `Goal:` in a sentence"), same("1. Goal: the first item\n2. Boundaries: the second"), same("see https://x.example/a:b"),
	same("    ## Goal, indented"), same("| Goal: | a table |"),
	{"```\n## Goal\nfake\n```", ""}, {"~~~ text\n目标：fake\n~~~", ""}, {"- run\n  ```sh\n  # Boundaries\n  ```", "- run"},
	{"---", ""}, {"words\n\n\n\nmore words", "words\n\nmore words"}, {"trailing  \t", "trailing"}, {"a\u202eb\x1b[1mc", "abc"},
}

var briefNames = [][]string{
	{"Goal", "objective", "目标"}, {"Acceptance criteria", "DONE WHEN", "验收标准", "验收"},
	{"Boundaries", "Non-goals", "边界", "不做什么"}, {"Unknowns", "Open questions", "未知与假设", "假设"},
}

var headings = []string{"## %s", "# %s", "**%s**", "%s:", "%s：", "**%s**:", "### **%s:**", "  ## %s", "## 3. %s"}

// A text put together from sections is read as exactly these sections.
func TestSectionsOfKnownParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var want [4]string
		text.WriteString(rapid.SampledFrom([]string{"", "Here is the brief.\n\n", "```\n## Goal\nfake\n```\n"}).Draw(t, "before"))
		for range rapid.IntRange(0, 6).Draw(t, "sections") {
			section := rapid.IntRange(0, 3).Draw(t, "section")
			name := rapid.SampledFrom(briefNames[section]).Draw(t, "name")
			fmt.Fprintf(&text, rapid.SampledFrom(headings).Draw(t, "mark")+"\n", name)
			written, kept := body(t)
			text.WriteString(written + "\n")
			if want[section] == "" {
				want[section] = kept
			}
		}
		b := ParseBrief(text.String())
		if got := [4]string{b.Goal, b.Acceptance, b.Boundaries, b.Unknowns}; got != want {
			t.Fatalf("%s\nis read as\n%q\nand should be\n%q", text.String(), got, want)
		}
		if again := ParseBrief(b.String()); again != b {
			t.Fatalf("%q\nread back is\n%q", b, again)
		}
	})
}

// body draws blocks with a blank line and a paragraph between any two, so that
// none of them changes the meaning of the next.
func body(t *rapid.T) (written, kept string) {
	var parts, left []string
	for _, b := range rapid.SliceOfN(rapid.SampledFrom(blocks), 0, 4).Draw(t, "blocks") {
		parts = append(parts, b.written, "between")
		if b.kept != "" {
			left = append(left, b.kept)
		}
		left = append(left, "between")
	}
	return strings.Join(parts, "\n\n"), strings.Join(left, "\n\n")
}

// Checks drawn at random, written in any of the usual ways, are read as drawn.
func TestChecksOfKnownParts(t *testing.T) {
	marks := []string{"- ", "* ", "+ ", "%d. ", "%d) ", "- [ ] ", "%d、"}
	unverifiable := []string{" [unverifiable here: %s]", " [此环境无法验证：%s]", " [ Unverifiable: %s ].", "【无法验证:%s】"}
	runs := []string{"\n  Run: `%s`", "\n  运行：`%s`", "\n   - run: `%s`", "\n\tRun : ``%s``"}
	rapid.Check(t, func(t *rapid.T) {
		mark := rapid.SampledFrom(marks).Draw(t, "mark")
		var text strings.Builder
		var want []Check
		text.WriteString("Goal: G\n\n判定清单：\n")
		for i := range rapid.IntRange(1, 5).Draw(t, "checks") {
			c := Check{Text: "see " + plainText().Draw(t, "text")}
			shown := strings.ReplaceAll(mark, "%d", fmt.Sprint(i+1)) + c.Text
			if rapid.Bool().Draw(t, "wrapped") {
				shown, c.Text = shown+"\n  and more", c.Text+" and more"
			}
			if c.Unverifiable = rapid.SampledFrom([]string{"", "no device"}).Draw(t, "reason"); c.Unverifiable != "" {
				shown += fmt.Sprintf(rapid.SampledFrom(unverifiable).Draw(t, "form"), c.Unverifiable)
			}
			if c.Command = rapid.SampledFrom([]string{"", "go test ./... | grep 'a  b'"}).Draw(t, "command"); c.Command != "" {
				shown += fmt.Sprintf(rapid.SampledFrom(runs).Draw(t, "run"), c.Command)
			}
			text.WriteString(shown + rapid.SampledFrom([]string{"\n", "\n\n"}).Draw(t, "gap"))
			want = append(want, c)
		}
		got := ParseGoal(text.String())
		if fmt.Sprint(got.Checks) != fmt.Sprint(want) {
			t.Fatalf("%s\nis read as\n%+v\nand should be\n%+v", text.String(), got.Checks, want)
		}
		if again := ParseGoal(got.String()); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Fatalf("%+v read back is %+v", got, again)
		}
	})
}

// A text that was cut off is never complete, and a verdict cut inside a fence is
// never passed.
func TestTruncatedDocuments(t *testing.T) {
	brief := "## Goal\nG\n```\ncode\n```\n## Acceptance\n- A\n~~~\nx\n~~~\n## Boundaries\nB\n## Unknowns\nU"
	for i := range brief {
		if b := ParseBrief(brief[:i]); len(b.Missing()) == 0 {
			t.Errorf("cut at %d it is complete: %+v", i, b)
		}
	}
	if missing := ParseBrief(brief).Missing(); missing != nil {
		t.Errorf("the whole lacks %q", missing)
	}
	verdict := "## Verdict\nachieved\n## Reason\n```\nlog\n```\n## Not passed\n- check 2\n"
	for i := strings.Index(verdict, "```\nlog"); i < len(verdict); i++ {
		open := strings.Count(verdict[:i], "```")%2 == 1
		if v := ParseVerdict(verdict[:i]); open && v.State == Reached {
			t.Errorf("cut at %d it is passed", i)
		}
	}
}
