package transcript

import (
	"slices"
	"strings"
)

// clean leaves out what no request should hold, entries of kinds that are unknown
// or tell of progress, and of two calls with one id,
// or two results for one call, the second.
func clean(chain []*entry, carryOn string) []*entry {
	calls, results := map[string]bool{}, map[string]bool{}
	return slices.DeleteFunc(chain, func(e *entry) bool {
		if !e.isTurn() {
			return e.kind != "system" && !(e.kind == "attachment" && e.context)
		}
		if e.made || isCarryOn(e, carryOn) {
			return true
		}
		e.keep(func(b block) bool {
			switch {
			case b.isCall():
				return first(calls, b.id)
			case b.isResult():
				return first(results, b.id)
			}
			return true
		})
		return len(e.blocks) == 0
	})
}

func first(seen map[string]bool, id string) bool {
	before := seen[id]
	seen[id] = true
	return !before
}

// isCarryOn says whether an entry holds the text that carries a turn on and
// nothing else.
func isCarryOn(e *entry, carryOn string) bool {
	return carryOn != "" && e.isUser() && len(e.blocks) == 1 && e.blocks[0].kind == "text" &&
		strings.TrimSpace(e.blocks[0].text) == strings.TrimSpace(carryOn)
}
