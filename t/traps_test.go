package t

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// docs/traps.md names a test for every trap of the original that we know: each
// of its rows has one at least, and every one that is named is there.
func TestTrapsHaveTheirTests(t *testing.T) {
	file, err := os.Open("../docs/traps.md")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows := regexp.MustCompile(`^\| ([DT]?-?\d+) \| .* \| (.*) \|$`)
	quoted := regexp.MustCompile("`([^`]+)`")
	seen := map[string]bool{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		row := rows.FindStringSubmatch(lines.Text())
		if row == nil {
			continue
		}
		tests := quoted.FindAllStringSubmatch(row[2], -1)
		if seen[row[1]] || len(tests) == 0 {
			t.Errorf("trap %s is told twice or has no test", row[1])
		}
		seen[row[1]] = true
		for _, name := range tests {
			if !isTest(t, name[1]) {
				t.Errorf("trap %s: there is no test '%s'", row[1], name[1])
			}
		}
	}
	for n := range 32 {
		if !seen[strconv.Itoa(n+1)] {
			t.Errorf("trap %d is not told of", n+1)
		}
	}
}

// isTest says whether a name, "package/path.TestName" or a script's, is a test's.
func isTest(t *testing.T, name string) bool {
	t.Helper()
	if strings.HasSuffix(name, ".sh") {
		_, err := os.Stat(filepath.Join("..", name))
		return err == nil
	}
	pkg, test, _ := strings.Cut(name, ".")
	files, err := filepath.Glob(filepath.Join("..", pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+test+"(") {
			return true
		}
	}
	return false
}
