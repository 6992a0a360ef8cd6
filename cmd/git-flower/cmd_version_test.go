package main

import (
	"runtime"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	d := newDesk(t)
	d.expect(0, "version")
	has(t, d.out.String(), "git-flower version ")
	if strings.Count(d.out.String(), "\n") != 1 {
		t.Errorf("%q", d.out.String())
	}
	short := d.out.String()
	d.expect(0, "--version")
	if d.out.String() != short {
		t.Errorf("--version prints %q", d.out.String())
	}
	d.expect(0, "version", "--verbose")
	has(t, d.out.String(), "\ncommit ", "\ngo "+strings.TrimPrefix(runtime.Version(), "go")+"\n", "\nplatform "+runtime.GOOS+"/", "\ngit 2.")
	if got := userAgent(); !strings.HasPrefix(got, "git-flower/") || strings.ContainsAny(got, " \n") {
		t.Errorf("user agent %q", got)
	}
}

func TestVersionWithoutGit(t *testing.T) {
	d := newDesk(t)
	t.Setenv("PATH", t.TempDir())
	d.expect(0, "version")
	d.expect(128, "version", "--verbose")
	has(t, d.err.String(), "git is not on PATH", "hint: install git")
}
