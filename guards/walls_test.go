package guards_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"git-flower/guards"
)

// disk is a file system in a table: where paths lead that do not lead to themselves.
type disk map[string]guards.Place

func (d disk) Place(path string) (guards.Place, error) {
	if place, ok := d[path]; ok {
		if place.Path == "" {
			return guards.Place{}, errors.New("too many links")
		}
		return place, nil
	}
	if dir := filepath.Dir(path); dir != path {
		above, err := d.Place(dir)
		return guards.Place{Path: filepath.Join(above.Path, filepath.Base(path)), Kind: guards.Missing}, err
	}
	return guards.Place{Path: path, Kind: guards.Folder}, nil
}

// What a path leads to counts as well as what it says.
func TestPlacesCount(t *testing.T) {
	p := worker
	p.Roots = []string{"/tree/1", "/bench"}
	p.Opened = []string{"open/.env"}
	p.Places = disk{
		"/bench":              {Path: "/real/bench", Kind: guards.Folder},
		"/tree/1/out":         {Path: "/home/me", Kind: guards.Folder},
		"/tree/1/bench":       {Path: "/real/bench", Kind: guards.Folder},
		"/tree/1/innocent":    {Path: "/tree/1/.env", Kind: guards.File},
		"/tree/1/allowed":     {Path: "/tree/1/open/.env", Kind: guards.File},
		"/tree/1/self":        {Path: "/proc/77/environ", Kind: guards.File},
		"/tree/1/pipe":        {Path: "/tree/1/pipe", Kind: guards.Special},
		"/tree/1/shared":      {Path: "/tree/1/shared", Kind: guards.File, Shared: true},
		"/tree/1/nowhere":     {Path: "/tree/1/nowhere", Kind: guards.Dangling},
		"/tree/1/loop":        {},
		"/tree/1/file":        {Path: "/tree/1/file", Kind: guards.File},
		"/real/bench/x":       {Path: "/real/bench/x", Kind: guards.File},
		"/usr/lib/go/secrets": {Path: "/etc", Kind: guards.Folder},
	}
	for _, c := range []struct {
		tool, path string
		allow      bool
	}{
		{"Read", "file", true}, {"Write", "file", true}, {"Write", "new/file", true},
		{"Read", "out/x", false}, {"Write", "out/x", false}, {"Read", "out", false}, {"Grep", "out", false}, {"Glob", "out", false},
		{"Read", "/bench/x", true}, {"Write", "/bench/x", true}, {"Write", "bench/x", true}, {"Read", "/real/bench/x", true},
		{"Read", "innocent", false}, {"Write", "innocent", false}, {"Grep", "innocent", false},
		{"Read", "allowed", true}, {"Read", "open/.env", true}, {"Read", ".env", false}, {"Read", "other/open/.env", false},
		{"Read", "self", false}, {"Read", "pipe", false}, {"Write", "pipe", false},
		{"Read", "shared", true}, {"Write", "shared", false}, {"Edit", "shared", false},
		{"Write", "nowhere", false}, {"Read", "nowhere", true}, // it does not exist, which is what the tool says
		{"Read", "loop", false}, {"Write", "loop/x", false},
		{"Read", "/usr/lib/go/fmt.go", true}, {"Read", "/usr/lib/go/secrets/passwd", false},
		{"Read", "/home/me/x", false},
	} {
		key := map[string]string{"Grep": "path", "Glob": "path"}[c.tool]
		if key == "" {
			key = "file_path"
		}
		input, _ := json.Marshal(map[string]string{key: c.path, "pattern": "x"})
		d := p.Decide(call("worker", c.tool, string(input)))
		if d.Allow != c.allow || d.Allow == (d.Reason != "") {
			t.Errorf("%s %s: %v (%s)", c.tool, c.path, d.Allow, d.Reason)
		}
	}
}

// Whatever a path looks like, it is read as one plain path or not at all.
func TestOddPathsAreRefused(t *testing.T) {
	everything := guards.Policy{Role: "worker", Tools: []string{"Read", "Write", "Glob", "Grep"}, Roots: []string{"/"}}
	for _, path := range []string{
		"/proc/self/root/etc/passwd", "/proc/self/cwd/x", "/proc/1/environ", "/dev/fd/0", "/dev/stdin", "/sys/kernel", "//proc/self/environ", "/x/../proc/self/fd/3", "/./proc/self/maps",
		"a\nb", "a\x00b", "a\rb", "\x1b[2Ja", "~/x", "~root/x", `\\server\share`, `\\?\C:\x`, `\\.\pipe\x`, "//?/C:/x", "//./x", `C:\x`, "c:/x",
		"/a/.ssh/id", "/a/.SSH/id", "/a/.env", "/a/.ENV", "/a/.env.", "/a/.env ", "/a/.env::$DATA", "/a/.e\u200cnv", "/a/.ſsh/x", "/a/ID_RSA", "/a/server.key", "/a/.Env.Local", `/a/.ssh\x`,
		"/h/.config/gcloud/x.json", "/h/.docker/config.json", "/h/.cargo/credentials.toml", "/h/Library/Keychains/x", "/a/prod.env", "/h/.kube/config", "/h/.git-credentials",
		strings.Repeat("/a", 3000),
	} {
		for _, tool := range []string{"Read", "Write"} {
			input, _ := json.Marshal(map[string]string{"file_path": path})
			if d := everything.Decide(call("worker", tool, string(input))); d.Allow || len([]rune(d.Reason)) > 900 || strings.ContainsAny(d.Reason, "\n\x1b\x00") {
				t.Errorf("%s %q: %v (%q)", tool, path, d.Allow, d.Reason)
			}
		}
	}
	for _, path := range []string{"/a/.env.example", "/a/.environment", "/a/keys.go", "/a/id_rsa.pub", "/a/monkey", "/a b/c", "/a/ü", "/a/internal/gcloud/x.go", "/process/x", "/device"} {
		input, _ := json.Marshal(map[string]string{"file_path": path})
		if d := everything.Decide(call("worker", "Read", string(input))); !d.Allow {
			t.Errorf("%q is refused: %s", path, d.Reason)
		}
	}
}

// Where a root is a place that is otherwise the system's own, it counts as a root.
func TestARootInMemory(t *testing.T) {
	p := guards.Policy{Role: "worker", Tools: []string{"Read"}, Roots: []string{"/dev/shm/tree"}}
	for path, want := range map[string]bool{"/dev/shm/tree/a": true, "/dev/shm/other": false, "/dev/fd/0": false} {
		if d := p.Decide(call("worker", "Read", fmt.Sprintf(`{"file_path":%q}`, path))); d.Allow != want {
			t.Errorf("%s: %v %s", path, d.Allow, d.Reason)
		}
	}
}

// Sub-agents: nobody but those that are declared, and they may do no more than
// the one that started them.
func TestSubAgents(t *testing.T) {
	p := guards.Policy{Role: "coordinator", Tools: []string{"Agent", "Task", "Read", "Bash"}, Kinds: []string{"coder"}, Glance: true, Roots: []string{"/repo"}}
	none := p
	none.Kinds = nil
	plain := p
	plain.Tools = []string{"Read"}
	for _, c := range []struct {
		policy guards.Policy
		agent  string
		tool   string
		input  string
		allow  bool
	}{
		{p, "", "Agent", `{"subagent_type":"coder","prompt":"x"}`, true},
		{p, "", "Task", `{"subagent_type":"coder"}`, true},
		{p, "", "Agent", `{"subagent_type":"general-purpose"}`, false},
		{p, "", "Agent", `{"subagent_type":"Coder"}`, false},
		{p, "", "Agent", `{"subagent_type":""}`, false},
		{p, "", "Agent", `{"subagent_type":null}`, false},
		{p, "", "Agent", `{"subagent_type":["coder"]}`, false},
		{p, "", "Agent", `{"Subagent_Type":"coder"}`, false},
		{p, "", "Task", `{"prompt":"x"}`, false},
		{p, "", "Agent", `[]`, false},
		{none, "", "Agent", `{"subagent_type":"coder"}`, false},
		{plain, "", "Agent", `{"subagent_type":"coder"}`, false},
		{p, "coder", "Read", `{"file_path":"/repo/x"}`, true},
		{p, "general-purpose", "Read", `{"file_path":"/repo/x"}`, false},
		{p, "coder", "Bash", `{"command":"rm x"}`, false},
		{p, "coder", "Write", `{"file_path":"/repo/x"}`, false},
		{p, "coder", "Agent", `{"subagent_type":"general-purpose"}`, false},
	} {
		d := c.policy.Decide(guards.Call{Role: "coordinator", Agent: c.agent, Tool: c.tool, Dir: "/repo", Input: json.RawMessage(c.input)})
		if d.Allow != c.allow || d.Allow == (d.Reason != "") {
			t.Errorf("%s %s %s: %v (%s)", c.agent, c.tool, c.input, d.Allow, d.Reason)
		}
	}
}

func TestAHugeInputIsRefusedUnread(t *testing.T) {
	huge := fmt.Sprintf(`{"file_path":"a","content":%q}`, strings.Repeat("x", 5<<20))
	if d := worker.Decide(call("worker", "Write", huge)); d.Allow || !strings.Contains(d.Reason, "smaller") {
		t.Errorf("%v %s", d.Allow, d.Reason)
	}
	deep := strings.Repeat("[", 1<<20)
	if d := worker.Decide(call("worker", "Read", deep)); d.Allow {
		t.Error("allowed")
	}
}

func TestOpened(t *testing.T) {
	for _, c := range []struct {
		name   string
		person []string
		brief  string
		want   string
	}{
		{"nothing said", []string{"do it"}, "", ""},
		{"named, not opened", []string{"fix the loader of .env"}, "", ""},
		{"forbidden", []string{"do not touch .env"}, "Do not read .env", ""},
		{"the person opens", []string{"do it\nMay be read: .env"}, "", ".env"},
		{"as a list", []string{"- may be read: `.env`, certs/server.key"}, "", ".env certs/server.key"},
		{"in the middle of a line", []string{"it says May be read: .env"}, "", ""},
		{"the brief alone", []string{"do it"}, "May be read: .env", ""},
		{"the brief, of what the person named", []string{"take the port from `config/.env`."}, "- May be read: config/.env", "config/.env"},
		{"the brief, of something longer", []string{"see .env"}, "May be read: prod/.env", ""},
		{"the brief, of something shorter", []string{"see prod/.env"}, "May be read: .env", ""},
		{"other words", []string{"see .env"}, "May not be read: .env", ""},
		{"climbs", []string{"May be read: ~/.ssh/id_rsa"}, "", ""},
	} {
		if got := strings.Join(guards.Opened(c.person, c.brief), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestClosed(t *testing.T) {
	p := guards.Policy{Roots: []string{"/t"}, Readable: []string{"/b"}, Opened: []string{"x/.env", "/b/server.key", "../.env"}}
	for path, want := range map[string]bool{
		"/t/.env": true, "/t/x/.env": false, "/b/x/.env": false, "/t/y/x/.env": true, "/b/server.key": false, "/t/server.key": true, "/t/a": false, "/.env": true,
	} {
		if p.Closed(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

// What the person has opened for the tool Read may be looked at too, where the
// command names that one file.
func TestGlanceAtWhatWasOpened(t *testing.T) {
	p := coordinator
	p.Readable = []string{"/repo"}
	p.Opened = []string{"conf/.env", ".env.link"}
	p.Places = disk{"/repo/.env.link": {Path: "/home/me/.ssh/id_rsa", Kind: guards.File}}
	for command, allow := range map[string]bool{
		"cat conf/.env": true, "cat /repo/conf/.env": true, "grep PORT conf/.env | head -3": true, "cat <conf/.env": true,
		"cat .env": false, "cat conf/.env .env": false, "cat other/conf/.env": false, "cat ../repo/conf/.env": false, "cat ../conf/.env": false, "cat conf/.env.local": false,
		"cat conf/*.env": false, "cat conf/.env*": false, "cat .env.link": false, "git show HEAD:conf/.env": false, "cat /etc/conf/.env": false,
		"for d in conf other; do cat $d/.env; done": false, "cat ~/conf/.env": false, "printenv API_KEY": false,
		"cd other && cat conf/.env": false, "(cd other; cat conf/.env)": false, "cd .. && cat repo/conf/.env; cat .env": false,
		"cat ./conf/../conf/.env": false, "cd other && cat ../conf/.env": false, "cat other/../conf/.env": false, "cat conf/.ENV": false,
		"git grep PORT conf/.env": true, "git -C . grep PORT conf/.env": true, "git -C conf grep PORT -- .env": true, "git -C /repo/conf grep PORT .env": true,
		"git -C other grep x conf/.env": false, "git -C other grep x -- conf/.env": false, "git -C other -C sub grep x conf/.env": false, "git -C /repo/other grep x conf/.env": false,
		"git -C other/.. grep x conf/.env": false, "git -C other -C .. grep x conf/.env": false, "git -C other grep -f conf/.env x": false, "git -C other diff -- conf/.env": false,
		"git -C conf grep x conf/.env": false, "timeout 5 git -C other grep x conf/.env": false, "cd other && git grep x conf/.env": false, "bash -c 'cat other/conf/.env'": false,
		"for d in other; do git -C $d grep x conf/.env; done": false, "git grep x 'conf/.en*'": false, "git blame .env": false, "git -C other blame conf/.env": false,
		"find . -name x -execdir cat conf/.env \\;": false, "find . -name x -exec cat conf/.env \\;": true,
	} {
		input, _ := json.Marshal(map[string]string{"command": command})
		c := call("coordinator", "Bash", string(input))
		c.Dir = "/repo"
		if d := p.Decide(c); d.Allow != allow {
			t.Errorf("%s: %v (%s)", command, d.Allow, d.Reason)
		}
		closed := p
		closed.Opened = nil
		if d := closed.Decide(c); d.Allow || !strings.Contains(d.Reason, "secrets") {
			t.Errorf("%s, with nothing opened: %v (%s)", command, d.Allow, d.Reason)
		}
	}
}

// A path stands for another file where the folder that it begins at was changed:
// no way to change it goes around what is opened.
func TestGlanceInAnotherFolder(t *testing.T) {
	p := coordinator
	p.Readable, p.Opened = []string{"/repo"}, []string{"conf/.env"}
	for _, command := range []string{
		"env -C other cat conf/.env", "env --chdir=other cat conf/.env", "pushd other && cat conf/.env", "pushd other; cat conf/.env; popd", "cd -P other && cat conf/.env",
		"git --git-dir=other/.git grep x conf/.env", "git --work-tree=other grep x conf/.env", "git --git-dir=.git --work-tree=. -C other grep x conf/.env",
		"git -C other --git-dir=/repo/.git --work-tree=/repo/other grep x conf/.env", "GIT_WORK_TREE=other git grep x conf/.env", "GIT_DIR=other/.git git grep x conf/.env",
		"git -c core.worktree=other grep x conf/.env", "CDPATH=other cd conf && cat .env", "cd $HOME && cat conf/.env", "git -C $OLDPWD grep x conf/.env", "git -C \"$(ls)\" grep x conf/.env",
		"cd other; cd ..; git -C other grep x conf/.env",
	} {
		input, _ := json.Marshal(map[string]string{"command": command})
		c := call("coordinator", "Bash", string(input))
		c.Dir = "/repo"
		if d := p.Decide(c); d.Allow {
			t.Errorf("%s: allowed as %s", command, d.Input)
		}
	}
}

// A pattern is a file's name written shorter.
func TestGlanceAtWhatAPatternFinds(t *testing.T) {
	for command, allow := range map[string]bool{
		"cat .env*": false, "cat .e*": false, "cat conf/.en[v]": false, "head -5 id_*": false, "cat id_rs?": false, "grep x .n?mrc": false, "cat <.env*": false,
		"ls .env*": true, "cat *": true, "cat *.go": true, "cat i*.go": true, "cat .github*": true, "cat x*": true, "grep '.e*' a.go": true,
	} {
		input, _ := json.Marshal(map[string]string{"command": command})
		d := coordinator.Decide(call("coordinator", "Bash", string(input)))
		if d.Allow != allow || !allow && command != "cat <.env*" && !strings.Contains(d.Reason, "secrets") {
			t.Errorf("%s: %v (%s)", command, d.Allow, d.Reason)
		}
	}
}
