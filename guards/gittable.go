package guards

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Options that many git commands share. Missing on purpose: --output (writes),
// --ext-diff, --textconv and --show-signature (run programs), and whatever
// starts an editor or a pager.
const (
	diffOptions = " -abBDRWwzpu -U: -S: -G: -O: -l: -M? -C? --patch --no-patch -s --raw --stat? --numstat --shortstat --dirstat? --summary --name-only --name-status" +
		" --patch-with-stat --unified: --color? --no-color --color-words? --word-diff? --word-diff-regex: --check --full-index --binary --abbrev?" +
		" --find-renames? --find-copies? --no-renames --diff-filter: --pickaxe-all --pickaxe-regex --relative? --text --ignore-space-change --ignore-all-space" +
		" --ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol --inter-hunk-context: --function-context --exit-code --quiet --no-ext-diff --no-textconv" +
		" --minimal --patience --histogram --diff-algorithm: --compact-summary --submodule? --ignore-submodules? --output-indicator-new: --output-indicator-old:" +
		" --output-indicator-context: --src-prefix: --dst-prefix: --no-prefix --merge-base --cached --staged --no-index"
	logOptions = " -# -n: -L: -igEFPt --oneline --graph --all --branches? --tags? --remotes? --glob: --exclude: --decorate? --no-decorate --max-count: --skip: --since: --after:" +
		" --until: --before: --author: --committer: --grep: --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --merges --no-merges" +
		" --first-parent --reverse --date: --format: --pretty? --abbrev-commit --no-abbrev-commit --follow --full-history --ancestry-path --simplify-by-decoration" +
		" --left-right --cherry --cherry-pick --cherry-mark --left-only --right-only --boundary --topo-order --date-order --author-date-order --no-walk? --walk-reflogs" +
		" --name-only --parents --children --show-pulls --source --log-size --notes? --no-notes --cc -m -c"
	refOptions = " --format: --sort: --count: --points-at: --contains~ --no-contains~ --merged~ --no-merged~ --ignore-case --color? --no-color --omit-empty"
)

var gitCommands = map[string]command{
	"status": {options: "-sbvz -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignored? --ignore-submodules? --column? --no-column" +
		" --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?"},
	"log":          {options: logOptions + diffOptions},
	"show":         {options: logOptions + diffOptions, contents: true},
	"diff":         {options: diffOptions, contents: true},
	"diff-tree":    {contents: true, options: diffOptions + " -rtcm --root --no-commit-id --pretty? --format:"},
	"diff-index":   {contents: true, options: diffOptions + " -m"},
	"diff-files":   {contents: true, options: diffOptions},
	"range-diff":   {options: "--no-color --color? --creation-factor: --no-dual-color --left-only --right-only -s --stat?"},
	"shortlog":     {options: "-sneg -w? --summary --numbered --email --group: --no-merges --since: --until: --all"},
	"ls-files":     {options: "-cdmoiskuztvf -x: -X: --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude: --exclude-standard --error-unmatch --full-name --abbrev? --eol --deduplicate --directory --no-empty-directory --format:"},
	"ls-tree":      {options: "-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format:"},
	"rev-parse":    {options: revParseOptions},
	"rev-list":     {options: logOptions + " --count --objects --disk-usage? --timestamp --no-commit-header --max-parents: --min-parents:"},
	"cat-file":     {contents: true, options: "-tspe --batch-check? --batch? --batch-all-objects --unordered --buffer --allow-unknown-type"},
	"describe":     {options: "--all --tags --contains --always --long --dirty? --broken? --abbrev: --match: --exclude: --first-parent --exact-match --candidates:"},
	"blame":        {contents: true, options: "-bcfnlstewpMC -L: -S: --root --show-name --show-number --show-email --porcelain --line-porcelain --incremental --date: --since: --abbrev: --ignore-rev: --first-parent --no-progress"},
	"grep":         {contents: true, options: "-# -abcEFGhHiIlLnoPpqrvwWz -A: -B: -C: -e! -f: -m: --cached --no-index --untracked --count --files-with-matches --files-without-match --name-only --line-number --column --heading --break --show-function --function-context --all-match --and --or --not --ignore-case --word-regexp --invert-match --fixed-strings --extended-regexp --basic-regexp --perl-regexp --context: --after-context: --before-context: --max-depth: --max-count: --color? --no-color --quiet --recursive --no-recursive --full-name"},
	"branch":       {options: "-alrvqi --all --list --remotes --verbose --show-current --abbrev? --no-abbrev --column? --no-column" + refOptions, list: []string{"--list", "-l"}},
	"tag":          {options: "-l -n? --list --column? --no-column" + refOptions, list: []string{"--list", "-l"}},
	"for-each-ref": {options: "--shell --include-root-refs --exclude:" + refOptions},
	"show-ref":     {options: "-dqs --head --heads --branches --tags --dereference --hash? --abbrev? --verify --quiet --exists"},
	"symbolic-ref": {options: "-q --short --quiet --recurse --no-recurse", most: 1}, // the second moves it
	"merge-base":   {options: "-a --all --octopus --independent --is-ancestor --fork-point"},
	"name-rev":     {options: "--tags --refs: --exclude: --all --name-only --no-undefined --always"},
	"cherry":       {options: "-v --abbrev?"},
	"count-objects": {
		options: "-vH --verbose --human-readable", most: -1},
	"check-ignore": {options: "-qvnz --quiet --verbose --non-matching --no-index"},
	"check-attr":   {options: "-az --all --cached --source:"},
	"var":          {most: 1},
	"version":      {options: "--build-options", most: -1},
	"whatchanged":  {options: logOptions + diffOptions, contents: true},
	"config":       {check: config},
	"remote":       {options: "-v --verbose", bare: true, subcommands: map[string]command{"get-url": {options: "--push --all"}}},
	"stash":        {options: "--no-color", subcommands: map[string]command{"list": {options: logOptions + diffOptions}, "show": {options: diffOptions + " --include-untracked --only-untracked"}}},
	"worktree":     {subcommands: map[string]command{"list": {options: "-vz --verbose --porcelain", most: -1}}},
	"reflog":       {options: logOptions, bare: true, subcommands: map[string]command{"show": {options: logOptions + diffOptions}, "exists": {}}},
	"notes":        {subcommands: map[string]command{"list": {}, "show": {}}},
	"submodule":    {options: "--quiet", subcommands: map[string]command{"status": {options: "--cached --recursive"}}},
	"bisect":       {subcommands: map[string]command{"log": {most: -1}}},
	// Writers that tell what they would do.
	"add":              {options: "-nvAuf --dry-run --verbose --all --update --ignore-missing", need: []string{"-n", "--dry-run"}},
	"clean":            {options: "-ndxXfq -e: --dry-run --exclude: --quiet", need: []string{"-n", "--dry-run"}},
	"apply":            {options: "-vp: --check --stat --numstat --summary --verbose --reverse -R --directory: --include: --exclude:", need: []string{"--check", "--stat", "--numstat", "--summary"}},
	"hash-object":      {options: "-t: --stdin --stdin-paths --no-filters --path: --literally"}, // -w writes it
	"replace":          {options: "-l --list --format:", need: []string{"-l", "--list"}},
	"archive":          {options: "-lv --list --verbose --prefix: --worktree-attributes"},
	"format-patch":     {options: "-# " + diffOptions + " --stdout --cover-letter --subject-prefix: --signoff --no-signature --root -k -n -N", need: []string{"--stdout"}},
	"sparse-checkout":  {subcommands: map[string]command{"list": {most: -1}}},
	"help":             {check: only("-a", "-g", "-c", "--all", "--guides")},
	"check-ref-format": {options: "--branch --normalize --allow-onelevel"},
	"check-mailmap":    {options: "--stdin"},
}

const (
	revParseOptions = "--verify -q --quiet --short? --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? --remotes? --git-dir --git-common-dir" +
		" --absolute-git-dir --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --is-inside-work-tree --is-inside-git-dir" +
		" --is-bare-repository --is-shallow-repository --show-object-format? --show-ref-format --path-format: --end-of-options --revs-only --no-revs --flags --no-flags --git-path:"
	configOptions = "-lz --list --get --get-all --get-regexp --show-origin --show-scope --name-only --local --global --system --worktree --type: --bool --int --path --null --includes --no-includes --default:"
)

// config reads when it is told to, and when it gets a name alone; its newer
// subcommands (set, edit) are words without a dot.
func config(_ *glancer, _ *syntax.CallExpr, _ string, args []word) string {
	given, operands, bad := command{options: configOptions}.split(args)
	reads := given["--list"] || given["-l"] || given["--get"] || given["--get-all"] || given["--get-regexp"]
	reads = reads || len(args) == 1 && len(operands) == 1
	if bad != "" || !reads || len(operands) > 1 || len(operands) == 1 && !given["--get-regexp"] && !strings.ContainsAny(operands[0].text, ".") {
		return "of git config only --list, --get NAME and --get-regexp PATTERN look"
	}
	return ""
}
