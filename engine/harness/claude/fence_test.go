package claude

import (
	"slices"
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/proxy"
	"git-flower/worktree/fence"
)

// Whatever ports commands are held to, the process reaches the proxy.
func TestTheFenceLetsTheProxyBeReached(t *testing.T) {
	p, err := proxy.Start(t.Context(), proxy.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, tt := range []struct {
		proxy *proxy.Proxy
		ports []uint16
		more  int
	}{{p, []uint16{443}, 1}, {p, nil, 0}, {nil, []uint16{443}, 0}} {
		s := &session{h: &Harness{c: Config{Path: "/bin/sh", Proxy: tt.proxy}}, o: harness.Options{
			Fence: &fence.Policy{Means: fence.Means{Namespaces: true}, Ports: tt.ports}}}
		got := s.fence().Ports
		if len(got) != len(tt.ports)+tt.more || tt.more > 0 && !slices.Contains(got, s.proxyPort()) {
			t.Errorf("%+v: ports %v", tt, got)
		}
		if len(tt.ports) > 0 && len(s.o.Fence.Ports) != 1 {
			t.Errorf("the commands' own policy was changed: %v", s.o.Fence.Ports)
		}
	}
}
