package stress

import (
	"os"
	"testing"

	"git-flower/t/scripts"
)

func TestMain(m *testing.M) { os.Exit(scripts.Main(m)) }

// TestScripts runs the scripts about crashes, stress and odd repositories.
func TestScripts(t *testing.T) { scripts.Run(t, "..", "t9*.sh") }
