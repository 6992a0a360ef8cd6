package t

import (
	"os"
	"testing"
	"time"

	"git-flower/t/scripts"
)

func TestMain(m *testing.M) { os.Exit(scripts.Main(m)) }

// TestScripts runs the scripts of all areas but one.
func TestScripts(t *testing.T) { scripts.Run(t, ".", "t[0-8]*.sh") }

// TestScriptsInClaude runs scripts of our own loop once more, with all sessions in
// the Claude Code CLI: signals, faults, bad workers, words, answers, the fence. One
// of them a day, all with TEST_LONG.
func TestScriptsInClaude(t *testing.T) {
	names := []string{"t3040", "t3041", "t3010", "t3020", "t7000", "t7001", "t4100", "t2110"}
	if os.Getenv("TEST_LONG") == "" {
		day := time.Now().UTC().YearDay()
		names = names[day%len(names):][:1]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { scripts.Run(t, ".", name+"-*.sh", "TEST_HARNESS=claude") })
	}
}
