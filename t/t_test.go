package t

import (
	"os"
	"testing"

	"git-flower/t/scripts"
)

func TestMain(m *testing.M) { os.Exit(scripts.Main(m)) }

// TestScripts runs the scripts of all areas but one.
func TestScripts(t *testing.T) { scripts.Run(t, ".", "t[0-8]*.sh") }
