package t

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// corpora are the areas of the original's cases that are played whole, each from
// a copy of ours in the package that owns the matter; its test counts the rows.
var corpora = map[string]string{
	"store":          "engine/session/testdata/original.jsonl",
	"analyze":        "engine/economy/testdata/original.jsonl",
	"overflow":       "engine/harness/wire/testdata/original.jsonl",
	"handoff_policy": "engine/testdata/original.jsonl",
	"handoff_loop":   "engine/testdata/original.jsonl",
	"handoff_parse":  "gitstate/document/testdata/original.jsonl",
	"verdict_parse":  "gitstate/document/testdata/original.jsonl",
	"brief_parse":    "gitstate/document/testdata/original.jsonl",
	"goal_parse":     "gitstate/document/testdata/original.jsonl",
	"window":         "cmd/git-flower/testdata/original.jsonl",
	"expire":         "engine/transcript/testdata/cases.jsonl",
	"trim":           "engine/transcript/testdata/cases.jsonl",
	"prune":          "engine/transcript/testdata/cases.jsonl",
	"trim_report":    "", // a line that tells of one reading: nobody is shown any
}

// Where the collection that the copies were made from is at hand, none of its
// rows is missing in them and none is another.
func TestCorporaAreWhole(t *testing.T) {
	text, err := os.ReadFile("../../shared/cases/original.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the collection is not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	copies := map[string][]string{}
	met := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		var r struct{ Area, Name string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		path := corpora[r.Area]
		if met[r.Area] = true; path == "" {
			continue
		}
		if copies[path] == nil {
			copies[path] = rowsOf(t, path)
		}
		if !slices.Contains(copies[path], line) {
			t.Errorf("%s: '%s' is not in %s as it is in the collection", r.Area, r.Name, path)
		}
	}
	for area := range corpora {
		if !met[area] {
			t.Errorf("the collection has no rows of '%s'", area)
		}
	}
}

func rowsOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile("../" + path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(text)))
}
