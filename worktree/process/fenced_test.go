package process

import (
	"testing"

	"git-flower/worktree/fence"
)

func TestFencedBasics(t *testing.T) {
	means := fence.Probe(t.Context())
	t.Logf("%+v", means)
	for name, m := range map[string]fence.Means{"all": means, "landlock": {Landlock: means.Landlock}, "namespaces": {Namespaces: means.Namespaces}} {
		if !m.Any() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir, temp := t.TempDir(), t.TempDir()
			p := fence.Policy{Means: m, Write: []string{dir}, Temp: temp}
			r := sh(t, "id; echo hi >x; cat x; echo $$; ls /proc | head -3; ls -la /dev /tmp | head -40; touch /etc/x; exit 3", func(c *Command) { c.Dir, c.Fence = dir, &p })
			t.Logf("%+v", r)
		})
	}
}
