package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"git-flower/gitstate/gitcmd"
)

func versionCommand() *command {
	return &command{
		name: "version", group: plumbing, summary: "show the version",
		synopsis: []string{"[--verbose]"},
		prose: `
Shows the version of git-flower. With --verbose also the commit it was built
from, the Go version, the platform, and the version of the git that is used.`,
		options: []option{{long: "verbose", text: "also show commit, Go, platform and git"}},
		exits:   exits(),
		run:     runVersion,
	}
}

func runVersion(ctx context.Context, env *Env, c *call) error {
	version, commit := built()
	text := "git-flower version " + version + "\n"
	if c.is("verbose") {
		git, err := env.git().CheckVersion(ctx)
		if err != nil {
			return err
		}
		text += fmt.Sprintf("commit %s\ngo %s\nplatform %s/%s\ngit %v (at least %d.%d is needed)\n",
			commit, strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS, runtime.GOARCH,
			git, gitcmd.Oldest.Major, gitcmd.Oldest.Minor)
	}
	return write(env.Out, text)
}

// userAgent names us to endpoints.
func userAgent() string {
	version, _ := built()
	return "git-flower/" + version
}

// built returns the module's version and the commit that the binary was built
// from, as the linker noted them.
func built() (version, commit string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown", "unknown"
	}
	version, commit = info.Main.Version, "unknown"
	if version == "" {
		version = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value + strings.TrimPrefix(commit, "unknown")
		case s.Key == "vcs.modified" && s.Value == "true":
			commit += " with changes"
		}
	}
	return version, commit
}
