package t

import (
	"cmp"
	"os"
	"strconv"
	"testing"
	"time"

	"git-flower/t/scripts"
)

func TestMain(m *testing.M) { os.Exit(scripts.Main(m)) }

// TestScripts runs the scripts of all areas but one.
func TestScripts(t *testing.T) { scripts.Run(t, ".", "t[0-8]*.sh") }

// TestScriptsInClaude runs scripts of our own loop once more, with all sessions in
// the Claude Code CLI: signals, faults, bad workers, words, answers, the fence. One
// of them, which follows TEST_SEED, all with TEST_LONG.
func TestScriptsInClaude(t *testing.T) {
	names := []string{"t3040", "t3041", "t3010", "t3020", "t7000", "t7001", "t4100", "t2110"}
	if os.Getenv("TEST_LONG") == "" {
		names = names[seed(t)%uint64(len(names)):][:1]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { scripts.Run(t, ".", name+"-*.sh", "TEST_HARNESS=claude") })
	}
}

// seed is the one that slices follow, as test-lib.sh has it: by default the day.
func seed(t *testing.T) uint64 {
	t.Helper()
	text := cmp.Or(os.Getenv("TEST_SEED"), time.Now().UTC().Format("2006002"))
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("TEST_SEED is no number: %v", err)
	}
	t.Logf("TEST_SEED=%d", n)
	return n
}
