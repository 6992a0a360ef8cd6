package t

import (
	"os"
	"testing"

	"git-flower/t/scripts"
)

func TestMain(m *testing.M) { os.Exit(scripts.Main(m)) }

// TestScripts runs the scripts of all areas but one.
func TestScripts(t *testing.T) { scripts.Run(t, ".", "t[0-8]*.sh") }

// TestScriptsInClaude runs scripts of our own loop once more, with all sessions in
// the Claude Code CLI: signals, faults, bad workers, words, answers, the fence.
func TestScriptsInClaude(t *testing.T) {
	if os.Getenv("TEST_LONG") == "" {
		t.Skip("half an hour: only with TEST_LONG=1")
	}
	for _, script := range []string{"t3040", "t3041", "t3010", "t3020", "t7000", "t7001", "t4100", "t2110"} {
		t.Run(script, func(t *testing.T) { scripts.Run(t, ".", script+"-*.sh", "TEST_HARNESS=claude") })
	}
}
