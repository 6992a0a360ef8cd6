//go:build unix

package gitcmd

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestCheckVersionRefusesAnOldGit(t *testing.T) {
	scrub(t)
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for said, old := range map[string]bool{"2.20.1": true, "2.33.99": true, "1.99.0": true, "2.34.0": false, "3.0.0": false} {
		write(t, filepath.Join(bin, "git"), "#!/bin/sh\necho git version "+said+"\n", 0o755)
		v, err := New(bin).CheckVersion(t.Context())
		var tooOld *TooOldError
		if errors.As(err, &tooOld) != old || old && tooOld.Found.String() != said || !old && (err != nil || v.String() != said) {
			t.Errorf("%s: %v, %v", said, v, err)
		}
	}
	write(t, filepath.Join(bin, "git"), "#!/bin/sh\necho something else\n", 0o755)
	if _, err := New(bin).CheckVersion(t.Context()); err == nil || errors.Is(err, ErrNoGit) {
		t.Errorf("another program: %v", err)
	}
}
