package t

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A rule says what a package may import besides the standard library. A package
// without a rule fails the test: write the rule first, then the code.
type rule struct {
	ours    []string // packages of this module, without its name
	outside []string // import paths of other modules
	never   []string // packages of the standard library
}

var rules = map[string]rule{
	"gitstate/document": {never: []string{"os/exec"}},
	"gitstate/gitcmd":   {},
	"gitstate": {
		ours: []string{"gitstate/document", "gitstate/gitcmd"},
		// Never the root package of go-git: its initialisation costs every start 3.6 ms.
		outside: []string{goGit + "/plumbing", goGit + "/plumbing/...", goGit + "/storage/...", "github.com/go-git/go-billy/v5/..."},
	},
	"worktree/fence":   {outside: []string{"github.com/landlock-lsm/go-landlock/landlock", "github.com/landlock-lsm/go-landlock/landlock/syscall", "golang.org/x/sys/unix"}},
	"worktree/process": {ours: []string{"worktree/fence"}},
	"worktree":         {ours: []string{"gitstate/gitcmd", "worktree/fence", "worktree/process"}},
	"guards": {
		outside: []string{"mvdan.cc/sh/v3/syntax"},
		never:   []string{"os", "os/exec", "net", "net/...", "time", "context"},
	},
	"plugin":         {outside: []string{"github.com/goccy/go-yaml", "github.com/goccy/go-yaml/..."}},
	"engine/harness": {ours: []string{"engine/transcript", "guards", "worktree/fence"}},
	"engine/harness/harnesstest": {
		ours: []string{"engine/harness", "guards"},
	},
	"engine/harness/wire": {ours: []string{"engine/harness"}, outside: []string{"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"}},
	"engine/harness/messages": {
		ours: []string{"engine/harness", "engine/transcript", "engine/harness/wire", "engine/rawjson", "guards", "plugin", "worktree/fence", "worktree/process"},
		outside: []string{"github.com/anthropics/anthropic-sdk-go/v2", "github.com/anthropics/anthropic-sdk-go/v2/...", "github.com/bmatcuk/doublestar/v4",
			"github.com/JohannesKaufmann/html-to-markdown/v2/...", "golang.org/x/net/html"},
	},
	"engine/rawjson":    {never: []string{"os", "os/exec", "net", "net/...", "context"}},
	"engine/proxy":      {ours: []string{"engine/harness", "engine/harness/wire", "engine/rawjson"}},
	"engine/transcript": {ours: []string{"engine/rawjson"}, never: []string{"os", "os/exec", "net", "net/...", "context"}},
	"engine/harness/claude": {
		ours:    []string{"engine/harness", "engine/proxy", "engine/transcript", "guards", "worktree/fence", "worktree/process"},
		outside: []string{"github.com/modelcontextprotocol/go-sdk/jsonrpc", "github.com/modelcontextprotocol/go-sdk/mcp"},
	},
	"engine/economy": {
		ours:    []string{"engine/rawjson", "gitstate", "guards"},
		outside: []string{"mvdan.cc/sh/v3/syntax"},
		never:   []string{"os", "os/exec", "net", "net/...", "context"},
	},
	"engine/bench":     {ours: []string{"gitstate", "guards"}, never: []string{"os/exec"}},
	"engine/governing": {ours: []string{"guards", "worktree"}, never: []string{"os", "os/exec", "net", "net/...", "context"}},
	"engine/spending":  {ours: []string{"engine/harness", "gitstate"}, never: []string{"os", "os/exec", "net", "net/..."}},
	"engine/inbox":     {outside: []string{"github.com/fsnotify/fsnotify"}},
	"engine/session":   {outside: []string{"modernc.org/sqlite"}},
	"engine/rehearse":  {outside: []string{"github.com/goccy/go-yaml", "github.com/goccy/go-yaml/..."}},
	"engine": {
		ours:  []string{"gitstate/document", "gitstate", "worktree", "worktree/fence", "worktree/process", "guards", "plugin", "engine/bench", "engine/governing", "engine/spending", "engine/harness"},
		never: []string{"os/exec", "database/sql"},
	},
	"cmd/git-flower": {
		ours: []string{"..."},
		outside: []string{"github.com/urfave/cli/v2", "github.com/charmbracelet/x/ansi", "github.com/charmbracelet/x/ansi/...", "github.com/clipperhouse/displaywidth",
			"golang.org/x/term", "github.com/joho/godotenv"},
	},
	"t":          {},
	"t/scripts":  {},
	"t/stress":   {ours: []string{"t/scripts"}},
	"t/endpoint": {ours: []string{"engine/rehearse"}},
	"t/heard":    {ours: []string{"engine/session"}},
	"t/marathon": {ours: []string{"engine/rehearse", "engine/session"}},
	"t/page":     {},
	"t/perf":     {ours: []string{"engine/harness", "engine/harness/claude", "engine/harness/messages", "engine/proxy", "engine/rehearse", "engine/session", "engine/transcript", "gitstate", "gitstate/gitcmd", "guards", "worktree", "worktree/process"}},
}

const (
	module = "git-flower"
	goGit  = "github.com/go-git/go-git/v5"
)

// doors are packages that only some of ours may import, so that there is one
// place that runs programs and one that opens databases.
var doors = map[string][]string{
	"os/exec":      {"gitstate/gitcmd", "worktree/process"},
	"database/sql": {"engine/session"},
}

// exceptions to the doors, each with its reason.
var exceptions = map[string]string{
	"cmd/git-flower os/exec": "pager and editor are the user's programs on the user's terminal",
	"t/scripts os/exec":      "scripts are programs of their own",
	"t/marathon os/exec":     "it drives the binary as a person does",
	"t/perf os/exec":         "what is measured is how processes start and end",
}

// linked are the modules whose code may be in the binary. A commit that adds one
// says why it was chosen and what its initialisation costs (GODEBUG=inittrace=1).
var linked = []string{
	"github.com/JohannesKaufmann/dom",
	"github.com/JohannesKaufmann/html-to-markdown/v2",
	"github.com/anthropics/anthropic-sdk-go/v2",
	"github.com/bahlo/generic-list-go",
	"github.com/bmatcuk/doublestar/v4",
	"github.com/buger/jsonparser",
	"github.com/charmbracelet/x/ansi",
	"github.com/clipperhouse/displaywidth",
	"github.com/clipperhouse/uax29/v2",
	"github.com/cpuguy83/go-md2man/v2",
	"github.com/dustin/go-humanize",
	"github.com/fsnotify/fsnotify",
	"github.com/go-git/go-billy/v5",
	"github.com/go-git/go-git/v5",
	"github.com/go-logr/logr",
	"github.com/go-logr/stdr",
	"github.com/goccy/go-yaml",
	"github.com/google/jsonschema-go",
	"github.com/google/uuid",
	"github.com/invopop/jsonschema",
	"github.com/jbenet/go-context",
	"github.com/joho/godotenv",
	"github.com/landlock-lsm/go-landlock",
	"github.com/lucasb-eyer/go-colorful",
	"github.com/mattn/go-isatty",
	"github.com/mattn/go-runewidth",
	"github.com/modelcontextprotocol/go-sdk",
	"github.com/ncruces/go-strftime",
	"github.com/pb33f/ordered-map/v2",
	"github.com/pjbgf/sha1cd",
	"github.com/remyoudompheng/bigfft",
	"github.com/russross/blackfriday/v2",
	"github.com/segmentio/asm",
	"github.com/segmentio/encoding",
	"github.com/standard-webhooks/standard-webhooks/libraries",
	"github.com/tidwall/gjson",
	"github.com/tidwall/match",
	"github.com/tidwall/pretty",
	"github.com/tidwall/sjson",
	"github.com/urfave/cli/v2",
	"github.com/xrash/smetrics",
	"github.com/yosida95/uritemplate/v3",
	"go.opentelemetry.io/auto/sdk",
	"go.opentelemetry.io/otel",
	"go.opentelemetry.io/otel/metric",
	"go.opentelemetry.io/otel/trace",
	"go.yaml.in/yaml/v4",
	"golang.org/x/net",
	"golang.org/x/oauth2",
	"golang.org/x/sync",
	"golang.org/x/sys",
	"golang.org/x/term",
	"golang.org/x/time",
	"kernel.org/pub/linux/libs/security/libcap/psx",
	"modernc.org/libc",
	"modernc.org/mathutil",
	"modernc.org/memory",
	"modernc.org/sqlite",
	"mvdan.cc/sh/v3",
}

// A listed package is what 'go list -json' says of it.
type listed struct {
	ImportPath string
	Imports    []string
	Standard   bool
	Module     *struct{ Path string }
}

// platforms are built for; files of each may import other things.
var platforms = []string{"linux", "darwin", "windows"}

func list(t *testing.T, platform string, args ...string) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Imports,Standard,Module"}, args...)...)
	cmd.Dir = ".."
	cmd.Env = append(cmd.Environ(), "GOOS="+platform, "CGO_ENABLED=0")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, errs.String())
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImports(t *testing.T) {
	for _, platform := range platforms {
		for _, tags := range []string{"", "flowertest"} {
			for _, p := range list(t, platform, "-tags", tags, "./...") {
				for _, complaint := range judge(p) {
					t.Errorf("%s: %s", platform, complaint)
				}
			}
		}
	}
}

// judge compares a package's imports with its rule.
func judge(p listed) []string {
	name := strings.TrimPrefix(p.ImportPath, module+"/")
	r, ok := rules[name]
	if !ok {
		return []string{"no rule for package '" + name + "': add one, then import"}
	}
	var complaints []string
	for _, path := range p.Imports {
		if why := r.forbids(name, path); why != "" {
			complaints = append(complaints, "'"+name+"' imports '"+path+"': "+why)
		}
	}
	return complaints
}

func (r rule) forbids(name, path string) string {
	_, excepted := exceptions[name+" "+path]
	allowed, door := doors[path]
	own, ours := strings.CutPrefix(path, module+"/")
	switch {
	case ours && !matches(r.ours, own):
		return "not in its rule"
	case !ours && strings.Contains(strings.Split(path, "/")[0], ".") && !matches(r.outside, path):
		return "a module that is not in its rule"
	case excepted:
		return ""
	case matches(r.never, path):
		return "its rule says never"
	case door && !slices.Contains(allowed, name):
		return "only " + strings.Join(allowed, " and ") + " may"
	}
	return ""
}

// matches knows "x/..." for what is below x, and "..." for everything.
func matches(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		below, wild := strings.CutSuffix(p, "...")
		return p == path || wild && strings.HasPrefix(path, below)
	})
}

func TestLinkedModules(t *testing.T) {
	seen := map[string]bool{}
	for _, platform := range platforms {
		for _, p := range list(t, platform, "-deps", "./cmd/git-flower") {
			if p.Module != nil && p.Module.Path != module {
				seen[p.Module.Path] = true
			}
		}
	}
	if len(seen) == 0 {
		t.Fatal("no module is linked")
	}
	for _, path := range slices.Sorted(maps.Keys(seen)) {
		if !slices.Contains(linked, path) {
			t.Errorf("the binary links '%s', which is not on the list", path)
		}
	}
	for _, path := range linked {
		if !seen[path] {
			t.Logf("'%s' is on the list, but not linked", path)
		}
	}
}

// The test must be able to fail.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name, path string
		fine       bool
	}{
		{"guards", "strings", true},
		{"guards", "os", false},
		{"guards", "net/http", false},
		{"guards", "mvdan.cc/sh/v3/syntax", true},
		{"guards", "mvdan.cc/sh/v3/interp", false},
		{"guards", "git-flower/engine", false},
		{"gitstate", goGit, false},
		{"gitstate", goGit + "/plumbing/object", true},
		{"gitstate", "os/exec", false},
		{"gitstate/gitcmd", "os/exec", true},
		{"engine", "database/sql", false},
		{"engine", "git-flower/engine/session", false},
		{"engine/session", "database/sql", true},
		{"cmd/git-flower", "git-flower/engine/session", true},
		{"cmd/git-flower", "os/exec", true},
		{"cmd/git-flower", "database/sql", false},
		{"nowhere", "strings", false},
	} {
		got := judge(listed{ImportPath: module + "/" + c.name, Imports: []string{c.path}})
		if (len(got) == 0) != c.fine {
			t.Errorf("%s imports %s: %q", c.name, c.path, got)
		}
	}
}
