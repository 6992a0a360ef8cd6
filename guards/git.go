package guards

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// git judges git's global options, and where they lead, before its subcommand.
func git(g *glancer, c *syntax.CallExpr, name string, args []word) string {
	call := gitCall{dirs: slices.Clone(g.dirs)}
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		used, why := call.option(g, c, args)
		if why != "" {
			return why
		}
		args = args[used:]
	}
	if len(args) == 0 {
		return call.alone()
	}
	sub, ok := gitCommands[args[0].text]
	if !ok || !args[0].known() {
		return helped(args)
	}
	if len(args) == 2 && args[1].text == "--help" {
		return ""
	}
	if why := signed(args); why != "" {
		return why
	}
	sub.permutes = true
	shell := g.dirs
	g.dirs = call.reads()
	why := sub.judge(g, c, "git "+args[0].text, args[1:])
	g.dirs = shell
	if why != "" {
		return why
	}
	if sub.contents {
		call.patterns(g, args[1:])
	}
	return call.guard(g, c, args[0], args[1:])
}

// A gitCall is what the words before a subcommand say.
type gitCall struct {
	dirs    []string
	keys    []string // of -c
	version bool
	climbs  bool // with '..', which behind a link leads elsewhere than its text says
	pinned  int  // of its two words that name the checkout's repository
	named   bool // names a repository from where it is
}

// option judges the first of the words, and says how many belong to it.
func (call *gitCall) option(g *glancer, c *syntax.CallExpr, args []word) (used int, why string) {
	text := args[0].text
	switch {
	case args[0].option() || args[0].glob:
	case text == "-C" && len(args) > 1 && !args[1].free && !args[1].glob:
		return 2, call.enter(args[1].text)
	case text == "-c" && len(args) > 1 && args[1].known():
		return 2, call.configure(args[1].text)
	case slices.Contains(g.pins(), text) && (g.root != "" || fromShell(c, args[0].at)):
		call.pinned++
		return 1, ""
	case slices.Contains([]string{"--no-pager", "-P", "-p", "--paginate", "--no-optional-locks", "--literal-pathspecs", "--glob-pathspecs",
		"--icase-pathspecs", "--no-replace-objects", "--no-lazy-fetch"}, text):
		return 1, ""
	case text == "--git-dir=.git" || text == "--work-tree=.":
		call.named = true
		return 1, ""
	case slices.Contains([]string{"--version", "-v", "--exec-path", "--html-path", "--man-path"}, text):
		call.version = true
		return 1, ""
	}
	return 0, fmt.Sprintf("'git' is not known to only look with '%s'", shown(text))
}

func (call *gitCall) alone() string {
	if call.version {
		return ""
	}
	return "'git' needs a subcommand: git status"
}

func (call *gitCall) enter(dir string) string {
	if dir == "" || strings.HasPrefix(dir, anything) {
		dir = "/" + anything
	}
	call.climbs = call.climbs || strings.Contains("/"+dir+"/", "/../")
	for i, d := range call.dirs {
		call.dirs[i] = join(d, dir)
	}
	return ""
}

// reads are the folders that the paths behind the subcommand may begin at.
func (call *gitCall) reads() []string {
	if call.climbs {
		return append(slices.Clone(call.dirs), "/"+anything)
	}
	return call.dirs
}

// patterns finds what may hold secrets by git's own patterns, which the shell
// leaves alone.
func (call *gitCall) patterns(g *glancer, args []word) {
	for _, a := range args {
		if !a.glob && findsSecret(a.text) {
			g.secrets = append(g.secrets, secret{told: shown(a.text)})
		}
	}
}

// harmlessKeys are settings that name no program, and the values that they may
// have. A setting that is not here may run something.
var harmlessKeys = map[string]form{
	"core.pager": pagers, "core.fsmonitor": no, "safe.barerepository": oneOf("explicit"), "log.showsignature": no, "core.quotepath": nil,
	"core.abbrev": nil, "core.ignorecase": nil, "core.precomposeunicode": nil, "core.whitespace": nil, "core.commentchar": nil, "core.autocrlf": nil,
	"log.date": nil, "log.decorate": nil, "log.follow": nil, "log.abbrevcommit": nil, "log.mailmap": nil, "diff.renames": nil, "diff.renamelimit": nil,
	"diff.algorithm": nil, "diff.context": nil, "diff.interhunkcontext": nil, "diff.noprefix": nil, "diff.mnemonicprefix": nil, "diff.colormoved": nil,
	"diff.wordregex": nil, "diff.statgraphwidth": nil, "diff.submodule": oneOf("short", "log"), "status.short": nil, "status.branch": nil,
	"status.showuntrackedfiles": nil, "status.relativepaths": nil, "status.submodulesummary": no, "column.ui": nil, "column.status": nil, "column.branch": nil,
	"grep.linenumber": nil, "grep.patterntype": nil, "grep.column": nil, "blame.date": nil, "tag.sort": nil, "branch.sort": nil, "versionsort.suffix": nil,
	"i18n.logoutputencoding": nil, "merge.renames": nil, "core.optionallocks": nil, "gc.auto": oneOf("0"), "maintenance.auto": no,
}

var no = oneOf("false", "no", "off", "0", "")

// configure judges '-c NAME=VALUE'.
func (call *gitCall) configure(setting string) string {
	key, value, valued := strings.Cut(setting, "=")
	key = strings.ToLower(key)
	form, ok := harmlessKeys[key]
	switch section, rest, _ := strings.Cut(key, "."); section {
	case "color", "advice":
		form, ok = ordinaryValue, rest != ""
		if section == "color" {
			form = nil
		}
	case "pager":
		form, ok = oneOf("cat", "false", "no", "off", "0"), true
	}
	if !ok || form != nil && (!valued || !form(value)) {
		return fmt.Sprintf("the setting '%s' may name a program to run; leave '-c %s' out", key, setting)
	}
	call.keys = append(call.keys, key)
	return ""
}

// signatures: showing one runs the program that checks it, which makes a folder
// for its keys.
var signatures = like(`%G|%\((signature|sig)|%` + "[" + holes + "]")

func signed(args []word) string {
	for _, a := range args {
		format := strings.HasPrefix(a.text, "--format") || strings.HasPrefix(a.text, "--pretty")
		if signatures(a.text) || format && strings.ContainsAny(a.text, holes) {
			return fmt.Sprintf("'%s' could run the program that checks signatures; leave '%%G' out of the format", shown(a.text))
		}
	}
	return ""
}

// helped are git's commands with a page of help, which is all that is shown.
func helped(args []word) string {
	name := shown(args[0].text)
	known := slices.Contains(writing, name)
	if known && len(args) == 2 && (args[1].text == "--help" || args[1].text == "-h") {
		return ""
	}
	if known {
		return fmt.Sprintf("'git %s' changes something or asks another machine; dispatch a worker for it", name)
	}
	return fmt.Sprintf("'git %s' is not on the list of commands that only look", name)
}

// writing are git's own commands that do more than look.
var writing = strings.Fields("add am apply archive bisect bundle checkout cherry-pick clean clone commit fetch fsck gc init merge mv pull push rebase reset" +
	" restore revert rm stash submodule switch update-index update-ref worktree filter-branch maintenance mergetool difftool send-email")

// inside reports that a directory lies in the checkout, by its text.
func (g *glancer) inside(dir string) bool {
	if path.IsAbs(dir) && g.root != "" {
		rel, err := filepath.Rel(g.root, dir)
		if err != nil {
			return false
		}
		dir = filepath.ToSlash(rel)
	}
	if path.IsAbs(dir) || dir == ".." || strings.HasPrefix(dir, "../") || strings.Contains(dir, anything) {
		return false
	}
	return !slices.Contains(strings.Split(strings.ToLower(dir), "/"), ".git")
}

// elsewhere reports that the shell may be outside of the checkout.
func (g *glancer) elsewhere() bool {
	return slices.ContainsFunc(g.dirs, func(d string) bool { return !g.inside(d) })
}

// guard sees to it that another repository's configuration runs nothing. In the
// checkout itself it is the person's own; a folder of it could be a repository,
// and elsewhere it is anybody's. What only reads objects and refs is told to run
// nothing; what reads files is told to look at the checkout's repository, since
// the filters of another one cannot be switched off.
func (call *gitCall) guard(g *glancer, c *syntax.CallExpr, sub word, args []word) string {
	moved := slices.ContainsFunc(call.dirs, func(d string) bool { return d != "." && !(g.root != "" && d == g.root) })
	switch {
	case call.pinned == 2 && !call.named || !moved:
		return ""
	case call.named || call.pinned > 0:
		return "the way to this repository is hard to follow; write it as 'git -C DIR log'"
	case sub.at < 0:
		return "git in another directory must be written out"
	case slices.Contains(plainLooks, sub.text):
		call.quiet(g, c, sub, args)
		return ""
	}
	if slices.ContainsFunc(call.dirs, func(d string) bool { return !g.inside(d) || strings.Contains(d, found) }) {
		return fmt.Sprintf("'git %s' in another repository can run what its configuration names; 'git log', 'git show' and 'git branch' look there,"+
			" and the branches of the workers are in this repository too", sub.text)
	}
	return call.pin(g, c)
}

// quiet switches off what could run for a look at objects and refs.
func (call *gitCall) quiet(g *glancer, c *syntax.CallExpr, sub word, args []word) {
	var before, after []*syntax.Word
	for _, safe := range [...]string{"core.fsmonitor=false", "safe.bareRepository=explicit", "log.showSignature=false"} {
		if key, _, _ := strings.Cut(strings.ToLower(safe), "="); !slices.Contains(call.keys, key) {
			before = append(before, litWord("-c"), litWord(safe))
		}
	}
	if slices.Contains(diffing, sub.text) {
		for _, o := range [...]string{"--no-ext-diff", "--no-textconv"} {
			if !slices.ContainsFunc(args, func(a word) bool { return a.text == o }) {
				after = append(after, litWord(o))
			}
		}
	}
	g.preface(c, "GIT_ALLOW_PROTOCOL", "none") // what a partial clone lacks is not fetched
	g.insert(c, sub.at+1, after)
	g.insert(c, sub.at, before)
}

// pins are the words that name the checkout's repository as seen from where the
// shell is: by its full name when that is known, else from the shell.
func (g *glancer) pins() []string {
	at := ""
	switch {
	case g.root != "":
		at = g.root
	case len(g.dirs) == 1:
		at = "." // what $PWD stands for
	case len(g.dirs) == 2:
		at = before
	default:
		return nil
	}
	return []string{"--git-dir=" + at + "/.git", "--work-tree=" + at}
}

// fromShell reports whether a word takes its directory from the shell, so that
// no -C changes what it means.
func fromShell(c *syntax.CallExpr, at int) bool {
	if at < 0 || len(c.Args[at].Parts) != 2 {
		return false
	}
	quoted, ok := c.Args[at].Parts[1].(*syntax.DblQuoted)
	if !ok || len(quoted.Parts) == 0 {
		return false
	}
	p, ok := quoted.Parts[0].(*syntax.ParamExp)
	return ok && p.Short && p.Param != nil && (p.Param.Value == "PWD" || p.Param.Value == "OLDPWD")
}

// pin names the checkout's repository in the text.
func (call *gitCall) pin(g *glancer, c *syntax.CallExpr) string {
	at := slices.IndexFunc(c.Args, func(w *syntax.Word) bool { return w.Lit() == "git" })
	if g.pins() == nil || at < 0 {
		return "the way to this git is hard to follow; write it as 'git -C DIR status'"
	}
	top := func(option, rest string) *syntax.Word {
		var value []syntax.WordPart
		if g.root != "" {
			value = []syntax.WordPart{&syntax.SglQuoted{Value: g.root + rest}}
		} else {
			name := map[int]string{1: "PWD", 2: "OLDPWD"}[len(g.dirs)]
			parts := []syntax.WordPart{&syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: name}}}
			if rest != "" {
				parts = append(parts, &syntax.Lit{Value: rest})
			}
			value = []syntax.WordPart{&syntax.DblQuoted{Parts: parts}}
		}
		return &syntax.Word{Parts: append([]syntax.WordPart{&syntax.Lit{Value: option}}, value...)}
	}
	if strings.ContainsRune(g.root, '\'') {
		return "the name of the checkout holds a quote; leave out the change of directory"
	}
	g.insert(c, at+1, []*syntax.Word{top("--git-dir=", "/.git"), top("--work-tree=", "")})
	return ""
}

// insert puts words into a command, in front of the n-th.
func (g *glancer) insert(c *syntax.CallExpr, n int, words []*syntax.Word) {
	if len(words) > 0 {
		c.Args, g.changed = slices.Insert(c.Args, n, words...), true
	}
}

// diffing commands run what the configuration names for a kind of file.
var diffing = []string{"log", "show", "diff-tree", "whatchanged"}

// plainLooks read objects and refs, and nothing that a configuration could have
// a program for once quiet has been there.
var plainLooks = strings.Fields("log show diff-tree whatchanged shortlog ls-tree rev-parse rev-list branch tag for-each-ref show-ref symbolic-ref merge-base name-rev" +
	" cherry count-objects remote config version")
