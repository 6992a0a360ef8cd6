package document_test

import (
	"fmt"
	"strings"
	"testing"

	. "git-flower/gitstate/document"
)

// A kind of document as these tests see it: accepted names by section
// (spec/surface.md 6.2 and spec/engine.md 5), and how to read it.
type kind struct {
	what  string
	names [][]string
	read  func(string) []string // bodies by section
	print func(string) string   // reads and prints
}

func split(sections ...string) [][]string {
	var names [][]string
	for _, s := range sections {
		names = append(names, strings.Split(s, "|"))
	}
	return names
}

var kinds = []kind{
	{
		"brief",
		split("Goal|Objective|Aim|What and for whom|目标",
			"Acceptance criteria|Acceptance|Done when|Definition of done|Success criteria|验收标准|验收条件|验收",
			"Boundaries|Out of scope|Non-goals|Scope limits|What we will not do|Limits|Constraints|边界|范围边界|不做什么",
			"Unknowns and assumptions|Assumptions|Unknowns|Open questions|Assumptions and unknowns|未知与假设|未知项与假设|未知项|已知未知|假设|未知"),
		func(text string) []string {
			b := ParseBrief(text)
			return []string{b.Goal, b.Acceptance, b.Boundaries, b.Unknowns}
		},
		func(text string) string { return ParseBrief(text).String() },
	},
	{
		"goal",
		split("Goal|Objective|Done means|Finish line|Completion|目标|完成标志",
			"Checks|Checklist|Verification checklist|Acceptance checks|Verification|判定清单|判定条件|验收清单|检查项|判定",
			"Protected paths|受保护路径"),
		func(text string) []string {
			g := ParseGoal(text)
			var checks []string
			for _, c := range g.Checks {
				checks = append(checks, c.Text)
			}
			return []string{g.Statement, strings.Join(checks, "\n"), strings.Join(g.Protected, "\n")}
		},
		func(text string) string { return ParseGoal(text).String() },
	},
	{
		"verdict",
		split("", "Reason|Reasoning|Rationale|Evidence|Because|理由|依据",
			"Not passed|Failed|Failed checks|Failing checks|Gaps|未通过"),
		func(text string) []string {
			v := ParseVerdict(text)
			return []string{"", v.Reason, strings.Join(v.Failed, "\n")}
		},
		func(text string) string { return ParseVerdict(text).String() },
	},
	{
		"report",
		split("Conclusion|Result|Summary|结论", "Evidence|依据|证据", "Output|Outputs|Artifacts|产出|产物|输出",
			"Unverified|Unverified and risks|Not verified|Risks|未验证|未验证与风险|风险"),
		func(text string) []string {
			r := ParseReport(text)
			return []string{r.Conclusion, r.Evidence, r.Output, r.Unverified}
		},
		func(text string) string { return ParseReport(text).String() },
	},
	{
		"handoff",
		split("Doing now|What I am doing|Current state|Status|Progress|In progress|现在在做什么|现在在做|当前进度|进度",
			"Decided|Decisions|Settled|已经定下的|已定的事|决策",
			"Dead ends|Tried and rejected|Tried and failed|Ruled out|Does not work|走不通的路|试过不行的|排除的路",
			"Next|Next step|Next steps|下一步",
			"Scene|Where things are|Files|Files and paths|Pointers|Paths|现场|文件"),
		func(text string) []string {
			h := ParseHandoff(text)
			return []string{h.Doing, h.Decided, h.DeadEnds, h.Next, h.Scene}
		},
		func(text string) string { return ParseHandoff(text).String() },
	},
}

// decorations of a heading; %s is the name, the body is on the next line.
var decorations = []string{
	"# %s", "###### %s", "##%s", "## %s ##", "  ## %s", "**%s**", "__%s__", "## **%s**", "**%s**:", "**%s:**", "**%s**：",
	"%s:", "%s：", "%s :", "1. %s:", "3) %s：", "2、%s:", "## 4. %s", "**5. %s**", "1. **%s**", "### %s:",
}

func TestHeadingsOfEverySection(t *testing.T) {
	for _, s := range kinds {
		for section, names := range s.names {
			for _, name := range names {
				if name == "" {
					continue
				}
				for _, d := range decorations {
					for _, spelled := range []string{name, strings.ToUpper(name), strings.ToLower(name)} {
						text := "Here it is.\n\n" + fmt.Sprintf(d, spelled) + "\nsome words"
						if got := s.read(text)[section]; got != "some words" {
							t.Errorf("%s, section %d: %q gave %q", s.what, section, text, got)
						}
					}
				}
			}
		}
	}
}

func TestHeadingWithItsBody(t *testing.T) {
	for _, text := range []string{
		"Goal: some words", "目标：some words", "**Goal:** some words", "**Goal**: some words", "**Goal: some words**",
		"## Goal: some words", "1. Goal: some words", "1. **Goal**: some words", "__Goal__ : some words", "## Goal\r\nsome words\r\n",
	} {
		if got := ParseBrief(text).Goal; got != "some words" {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// What merely resembles a heading stays where it is.
func TestNoHeading(t *testing.T) {
	for _, line := range []string{
		"目标文件存在", "1. 目标文件存在", "验收时不看界面", "Goals are nice", "Goal", "目标", "The goal: speed", "## Goal of the work", "## Goals",
		"####### Goal", "    ## Goal", "\t## Goal", "- Goal: speed", "* **Goal**", "- ## Goal", "+ Goal:", "> ## Goal", "Goal-setting: hard",
		"`Goal:` is a heading", "*Goal* is set", `\## Goal`, `\Goal: speed`, "1. Goal: speed", "1. **Goal**", "Nongoal: x",
	} {
		text := "## Boundaries\nbefore\n" + line + "\nafter"
		b := ParseBrief(text)
		if b.Goal != "" || b.Boundaries != "before\n"+line+"\nafter" {
			t.Errorf("%q: %+v", line, b)
		}
	}
}

func TestHeadingsInsideListsAreBody(t *testing.T) {
	for _, body := range []string{
		"1. runs\n2. Goal: none of it\n3. 目标: none", "- runs\n  Goal: none of it\n\n  ## Goal\n  text",
		"1. runs\n\n2. **Goal**: none of it", "* runs\n  - Goal: none", "1. Goal: first item\n2. it holds",
		"10. runs\n11. Goal", "1) a\n2) Goal:\n   wrapped",
	} {
		b := ParseBrief("## Acceptance\n" + body + "\n## Goal\nG")
		if b.Acceptance != body || b.Goal != "G" {
			t.Errorf("%q:\n%+v", body, b)
		}
	}
}

func TestListsEnd(t *testing.T) {
	for _, between := range []string{"\nA paragraph.\n", "\n```\ncode\n```\nA paragraph.\n", "---\n"} {
		text := "## Acceptance\n1. runs\n" + between + "2. Goal: G"
		if b := ParseBrief(text); b.Goal != "G" {
			t.Errorf("%q: %+v", text, b)
		}
	}
}

func TestNumberedSections(t *testing.T) {
	want := Brief{"G", "- a\n- b", "B", "U"}
	for _, text := range []string{
		"1. Goal: G\n2. Acceptance:\n- a\n- b\n3. Boundaries: B\n4. Unknowns: U",
		"1. **Goal**: G\n2. **Acceptance**:\n   - a\n   - b\n3. **Boundaries**: B\n4. **Unknowns**: U",
		"1. Goal\nG\n2. Acceptance\n- a\n- b\n\n3. Boundaries\nB\n4. Unknowns\nU",
		"1、目标\nG\n2、验收标准\n- a\n- b\n3、边界\nB\n4、未知与假设\nU",
	} {
		got := ParseBrief(text)
		got.Acceptance = strings.ReplaceAll(got.Acceptance, "   - ", "- ")
		if got != want {
			t.Errorf("%q:\n%+v", text, got)
		}
	}
}

func TestFences(t *testing.T) {
	tests := []struct{ name, text, goal, bounds string }{
		{"headings in it", "## Goal\nG\n```\n## Boundaries\nfake\n```\n## Boundaries\nB", "G", "B"},
		{"tildes", "## Goal\nG\n~~~ sh\n## Boundaries\n~~~\n## Boundaries\nB", "G", "B"},
		{"the other mark inside", "## Goal\nG\n~~~\n```\n~~~\n## Boundaries\nB", "G", "B"},
		{"a longer one", "## Goal\nG\n````\n```\n## Boundaries\nfake\n````\n## Boundaries\nB", "G", "B"},
		{"in an item", "## Goal\n- run\n  ```sh\n  ./x\n  ```\n## Boundaries\nB", "- run", "B"},
		{"on an item's line", "## Goal\n- ```sh\n  # Boundaries\n  ```\n## Boundaries\nB", "", "B"},
		{"never closed", "## Goal\nG\n```\ncode\n## Boundaries\nB", "G", ""},
		{"tildes never closed", "## Goal\nG\n~~~\ncode\n```\n## Boundaries\nB", "G", ""},
		{"closed with words", "## Goal\nG\n```\ncode\n``` no\n## Boundaries\nB", "G", ""},
		{"a code span is none", "## Goal\nG ```x``` y\n```x``` z\n## Boundaries\nB", "G ```x``` y\n```x``` z", "B"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := ParseBrief(test.text)
			if b.Goal != test.goal || b.Boundaries != test.bounds {
				t.Errorf("%+v", b)
			}
		})
	}
}

func TestPlaceholdersAreEmpty(t *testing.T) {
	for _, p := range []string{"(未填)", "（未填）", "(空)", "（空）", "(empty)", "_(not filled in)_", "- (空)", "(Empty)", "**(未填)**"} {
		for _, s := range kinds {
			for section, names := range s.names {
				text := "## " + names[0] + "\n\n" + p + "\n"
				if got := s.read(text)[section]; got != "" {
					t.Errorf("%s: %q gave %q", s.what, text, got)
				}
			}
		}
		if b := ParseBrief("## Goal\n" + p + "\n## Goal\nreal"); b.Goal != "real" {
			t.Errorf("%s: goal %q", p, b.Goal)
		}
	}
	for _, words := range []string{"none", "无", "(none so far)", "empty", "an (empty) list"} {
		if b := ParseBrief("## Unknowns\n" + words); b.Unknowns != words {
			t.Errorf("%q is no placeholder, got %q", words, b.Unknowns)
		}
	}
}

func TestMissingNamesSectionsInOrder(t *testing.T) {
	equal(t, "brief", Brief{Acceptance: "a", Unknowns: " \n"}.Missing(), []string{"Goal", "Boundaries", "Unknowns and assumptions"})
	equal(t, "goal", Goal{Checks: []Check{{Text: "(none)"}}}.Missing(), []string{"Goal", "Checks"})
	equal(t, "goal", Goal{Statement: "s", Checks: []Check{{Text: "t"}}}.Missing(), []string(nil))
	equal(t, "report", Report{Evidence: "e"}.Missing(), []string{"Conclusion", "Output", "Unverified"})
	equal(t, "handoff", Handoff{Scene: "s"}.Missing(), []string{"Doing now", "Next step"})
}
