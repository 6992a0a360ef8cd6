package claude

import (
	"context"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/worktree/process"
)

// The user's home is as it was after a session, and its commands have the user's
// cache.
func TestNothingIsLeftInTheHome(t *testing.T) {
	for _, set := range []string{"", "/somewhere/else"} {
		home := t.TempDir()
		stub := harnesstest.NewStub(t)
		stub.Push(harnesstest.Use("toolu_1", "note", map[string]string{}),
			harnesstest.Use("toolu_2", "Bash", map[string]string{"command": `echo "cache=$XDG_CACHE_HOME; settings=$XDG_CONFIG_HOME;"`}), harnesstest.Say("done"))
		s := direct(t, stub, func(o *harness.Options) {
			o.Tools = []string{"Bash"}
			o.Env = process.Env("HOME="+home, "XDG_CACHE_HOME="+set, "XDG_CONFIG_HOME=")
			o.Custom = []harness.Tool{{Name: "note", Schema: []byte(`{"type":"object"}`), Call: func(context.Context, string, json.RawMessage) (harness.Result, error) {
				return harness.Result{Text: "noted"}, nil
			}}}
		})
		ended, events := turnOf(t, s, "go")
		if ended.Stop != harness.StopDone {
			t.Fatalf("ended %+v", ended)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		_ = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
			if path != home {
				t.Errorf("left: %s", path)
			}
			return err
		})
		if got := strings.Join(results(events), "\n"); !strings.Contains(got, "cache="+set+"; settings=;") {
			t.Errorf("commands see %s", got)
		}
	}
}
