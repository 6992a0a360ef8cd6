package gitcmd

import (
	"slices"
	"strings"
	"testing"
)

// Whatever this git calls local must be gone, and nothing else of note.
func TestWithoutLocalKnowsWhatGitCallsLocal(t *testing.T) {
	scrub(t)
	out, err := New(t.TempDir()).Read(t.Context(), "rev-parse", "--local-env-vars")
	must(t, err)
	names := strings.Fields(string(out))
	if len(names) < 10 {
		t.Fatalf("git names %q", names)
	}
	for _, name := range append(names, "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_12", "GIT_AUTHOR_DATE", "GIT_EXTERNAL_DIFF", "Git_Dir") {
		env := []string{"A=b", name + "=x", "GIT_SSH_COMMAND=ssh", "PATH=/bin"}
		if got := WithoutLocal(env); !slices.Equal(got, []string{"A=b", "GIT_SSH_COMMAND=ssh", "PATH=/bin"}) {
			t.Errorf("%s stays: %q", name, got)
		}
		if env[1] != name+"=x" {
			t.Errorf("the caller's slice was changed: %q", env)
		}
	}
}

func TestForeignDropsWhatTiesGitToAnotherRepository(t *testing.T) {
	scrub(t)
	here, there := repository(t), repository(t)
	t.Setenv("GIT_DIR", there+"/.git")
	t.Setenv("GIT_WORK_TREE", there)
	t.Setenv("GIT_INDEX_FILE", there+"/.git/other")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "flower.test")
	t.Setenv("GIT_CONFIG_VALUE_0", "injected")
	t.Setenv("GIT_AUTHOR_NAME", "Hook")
	if got := line(t, New(here), "rev-parse", "--show-toplevel"); got != there {
		t.Errorf("ours ignores GIT_DIR: %s", got)
	}
	if got := line(t, New(here), "config", "flower.test"); got != "injected" {
		t.Errorf("ours ignores the caller's configuration: %q", got)
	}
	g := Foreign(here)
	if got := line(t, g, "rev-parse", "--show-toplevel"); got != here {
		t.Errorf("foreign is in %s", got)
	}
	if got := line(t, g, "rev-parse", "--git-path", "index"); got != ".git/index" {
		t.Errorf("foreign has the index %s", got)
	}
	if got, err := g.Line(t.Context(), "config", "flower.test"); ExitCode(err) != 1 {
		t.Errorf("foreign reads the caller's configuration: %q, %v", got, err)
	}
	if got, _ := g.Line(t.Context(), "var", "GIT_AUTHOR_IDENT"); strings.HasPrefix(got, "Hook ") {
		t.Errorf("foreign has the author %s", got)
	}
	named := Foreign(t.TempDir(), "GIT_DIR="+here+"/.git", "GIT_WORK_TREE="+here)
	if got := line(t, named, "rev-parse", "--absolute-git-dir"); got != here+"/.git" {
		t.Errorf("named is in %s", got)
	}
}

// A Git is copied, never changed: two that come from one must not share what
// was added to either.
func TestCopiesDoNotShare(t *testing.T) {
	scrub(t)
	base := New(repository(t)).With("a.a=0").Env("A=0")
	one, two := base.With("a.b=one").Env("B=one"), base.With("a.b=two").Env("B=two")
	for want, g := range map[string]Git{"one": one, "two": two} {
		if got := line(t, g, "config", "a.b"); got != want {
			t.Errorf("configuration is %q, want %q", got, want)
		}
		if got := line(t, g.With(`alias.b=!echo "$B"`), "b"); got != want {
			t.Errorf("variable is %q, want %q", got, want)
		}
	}
	less := one.Without("B", "NONE")
	if got := line(t, less.With(`alias.b=!echo "$A$B"`), "b"); got != "0" || line(t, one.With(`alias.b=!echo "$B"`), "b") != "one" {
		t.Errorf("without the variable: %q", got)
	}
	if got := base.In("/elsewhere").Dir(); got != "/elsewhere" || base.Dir() == got {
		t.Errorf("directories %q and %q", got, base.Dir())
	}
}
