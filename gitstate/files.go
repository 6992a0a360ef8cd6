package gitstate

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ledgerWake is the wake whose account a path of the tree is.
func ledgerWake(path string) (string, bool) {
	rest, below := strings.CutPrefix(path, "ledger/")
	wake, file := strings.CutSuffix(rest, ".json")
	return wake, below && file && consists(wake, lowerAlpha+digits+"-", 64) && wake[0] != '-'
}

// CheckFile says why a record cannot carry a file in Record.Files, nil when it can.
func CheckFile(path string, data []byte) error {
	_, ledger := ledgerWake(path)
	switch {
	case len(data) > MaxFile:
		return fmt.Errorf("file '%.200q' is larger than %d bytes", path, MaxFile)
	case !ledger && !onBench(path):
		return fmt.Errorf("file '%.200q' has no place in a run's tree", path)
	case !safePath(path):
		return fmt.Errorf("file '%.200q' is not a path for every system", path)
	}
	return nil
}

// onBench says whether a path is of a part of the bench that travels.
func onBench(path string) bool {
	return isUnder(path, "bench/scripts/") || isUnder(path, "bench/notes/") || isUnder(path, "bench/artifacts/")
}

func isUnder(path, folder string) bool {
	return strings.HasPrefix(path, folder) && len(path) > len(folder)
}

// safePath says whether a path can be written out on any system without
// leaving its folder or touching a git directory.
func safePath(path string) bool {
	if len(path) > 1024 || !utf8.ValidString(path) {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		bare := strings.ToLower(strings.TrimRight(part, ". "))
		if bare == "" || bare == ".git" || bare == "git~1" || bare != strings.ToLower(part) {
			return false
		}
		if strings.ContainsAny(part, `\:*?"<>|`) || strings.ContainsFunc(part, unseen) {
			return false
		}
	}
	return true
}

func unseen(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
