package document

import "strings"

// A State is what a judge can say of a goal. The zero value is the safe one.
type State int

// The three states. That something cannot be verified here is Unreachable too:
// both need a person, neither is a pass.
const (
	NotYet State = iota
	Reached
	Unreachable
)

var stateWords = []string{"not-yet", "reached", "unreachable"}

func (s State) String() string {
	if s < 0 || int(s) >= len(stateWords) {
		return stateWords[NotYet]
	}
	return stateWords[s]
}

// ParseState reads what String prints.
func ParseState(word string) (State, bool) {
	for i, w := range stateWords {
		if w == word {
			return State(i), true
		}
	}
	return NotYet, false
}

// spokenStates are the words of a judge who answers in text: those of
// spec/surface.md 6.7, our own, and for the two states that pass nothing the
// denials that models really write.
var spokenStates = map[string]State{
	"达成": Reached, "已达成": Reached, "achieved": Reached, "reached": Reached, "done": Reached, "1": Reached, "true": Reached,

	"未达成": NotYet, "没达成": NotYet, "没有达成": NotYet, "尚未达成": NotYet, "不达成": NotYet,
	"部分达成": NotYet, "基本达成": NotYet, "尚未完全达成": NotYet,
	"not yet": NotYet, "not_yet": NotYet, "not-yet": NotYet, "not achieved": NotYet, "not reached": NotYet,
	"0": NotYet, "false": NotYet,

	"无法达成": Unreachable, "不可达成": Unreachable, "做不到": Unreachable, "达成不了": Unreachable,
	"无法验证": Unreachable, "没法验证": Unreachable, "验证不了": Unreachable, "无法判定": Unreachable,
	"无法确认是否达成": Unreachable, "unreachable": Unreachable, "unverifiable": Unreachable,
	"impossible": Unreachable, "cannot be verified here": Unreachable,
}

// spokenState reads a line that is nothing but a state, emphasis and a full stop.
func spokenState(line string) (State, bool) {
	if len(line) > 128 {
		return NotYet, false
	}
	line = strings.TrimRight(line, "*_`.。!！ \t")
	line = strings.TrimLeft(line, "*_` \t")
	state, ok := spokenStates[strings.ToLower(line)]
	return state, ok
}
