package document

// The accepted headings of each document, in the order of its sections: the
// words of the original tool and their English counterparts. The first name of a
// section is the one that is printed.
var (
	briefGrammar = newGrammar(true,
		"Goal|Objective|Aim|What and for whom|目标",
		"Acceptance criteria|Acceptance|Done when|Definition of done|Success criteria|验收标准|验收条件|验收",
		"Boundaries|Out of scope|Non-goals|Scope limits|What we will not do|Limits|Constraints|边界|范围边界|不做什么",
		"Unknowns and assumptions|Assumptions|Unknowns|Open questions|Assumptions and unknowns|"+
			"未知与假设|未知项与假设|未知项|已知未知|假设|未知",
	)
	goalGrammar = newGrammar(true,
		"Goal|Objective|Done means|Finish line|Completion|目标|完成标志",
		"Checks|Checklist|Verification checklist|Acceptance checks|Verification|判定清单|判定条件|验收清单|检查项|判定",
		"Protected paths|Protected|受保护路径|受保护的路径",
	)
	verdictGrammar = newGrammar(false,
		"Verdict|Conclusion|State|Result|结论|判定",
		"Reason|Reasoning|Rationale|Evidence|Because|理由|依据",
		"Not passed|Failed|Failed checks|Failing checks|Gaps|未通过",
		"Check results|逐项结果",
	)
	reportGrammar = newGrammar(true,
		"Conclusion|Result|Summary|结论",
		"Evidence|依据|证据",
		"Output|Outputs|Artifacts|产出|产物|输出",
		"Unverified|Unverified and risks|Unverified / risks|Not verified|Risks|未验证|未验证与风险|未验证/风险|未核实|风险",
	)
	handoffGrammar = newGrammar(true,
		"Doing now|What I am doing|Current state|Status|Progress|In progress|现在在做什么|现在在做|当前进度|进度",
		"Decided|Decisions|Settled|已经定下的|已定的事|决策",
		"Dead ends|Tried and rejected|Tried and failed|Ruled out|Does not work|走不通的路|试过不行的|排除的路",
		"Next|Next step|Next steps|下一步",
		"Scene|Where things are|Files|Files and paths|Pointers|Paths|现场|文件",
	)
)
