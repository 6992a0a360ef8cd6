package guards

import (
	"regexp"
	"slices"
	"strings"
)

// commands are those that only look. What is missing here is refused, so add a
// row, and its reason to the test's table.
var commands = map[string]command{
	"git": {options: "--no-pager -P --no-optional-locks --literal-pathspecs --version -v", subcommands: gitCommands, bare: true},

	"ls": {options: "-1aAbBcCdfFgGhHiIklLmnNopqQrRsStuUvwxXZ --all --almost-all --author --color? --directory --full-time --group-directories-first" +
		" --human-readable --inode --recursive --reverse --size --sort: --time: --time-style: --hide: --ignore:", safe: true},
	"cat":  {options: "-AbeEnstTuv --number --number-nonblank --show-all --show-ends --squeeze-blank --show-tabs", contents: true, safe: true},
	"head": {options: "-# -n: -c: -qv --lines: --bytes: --quiet --verbose", contents: true, safe: true},
	"tail": {options: "-# -n: -c: -qvr --lines: --bytes: --quiet --verbose", contents: true}, // -f never ends
	"wc":   {options: "-clmLw --bytes --chars --lines --words --max-line-length", safe: true},
	"nl":   {options: "-b: -n: -w: -s: -v: -i: -f: -h: -p --body-numbering: --number-format: --number-width:", contents: true},
	"grep": {options: grepOptions, contents: true, safe: true}, "egrep": {options: grepOptions, contents: true, safe: true},
	"fgrep": {options: grepOptions, contents: true, safe: true},
	// A configuration file can name a preprocessor for rg, and so can --pre.
	"rg": {options: "-cFiIlLnNoqsSuUvwxHP --no-config -e: -g: -t: -T: -m: -A: -B: -C: -d: -M: -r: -j: --files --hidden --no-ignore --glob: --iglob: --type:" +
		" --type-not: --type-list --max-count: --max-depth: --files-with-matches --files-without-match --count --line-number --no-heading --heading" +
		" --ignore-case --smart-case --fixed-strings --word-regexp --context: --after-context: --before-context: --color: --sort: --stats --json --multiline --vimgrep", contents: true},
	"stat": {options: "-c: -f: -Lt --format: --printf: --dereference --terse --file-system", safe: true},
	"file": {options: "-bhiLkr0 --brief --mime --mime-type --mime-encoding --dereference"}, // -C compiles, -z runs programs
	"find": {check: find},
	"tree": {options: "-adfilpsughDFtrcSnQx -L: -I: -P: --dirsfirst --prune --gitignore --du --noreport --filelimit: --charset:"},
	"du":   {options: "-abchHklLmsSx0 -d: -t: --max-depth: --all --apparent-size --human-readable --summarize --total --exclude: --time?", safe: true},
	"df":   {options: "-aBhHiklPT -t: -x: --human-readable --inodes --total --type: --output?"},
	"diff": {options: "-abBdeEiNqrstuwy -U: -C: -x: -I: -W: --brief --recursive --unified? --context? --color? --ignore-all-space --ignore-case" +
		" --exclude: --side-by-side --suppress-common-lines --minimal --new-file --report-identical-files", contents: true},
	"cmp":       {options: "-bls -n: -i: --silent --verbose --bytes:"},
	"comm":      {options: "-123 --check-order --nocheck-order --total --output-delimiter:", contents: true},
	"sort":      {options: "-bcCdfghiMmnRrsuVz -k: -t: --key: --numeric-sort --reverse --unique --version-sort --human-numeric-sort --field-separator:", contents: true}, // -o writes
	"uniq":      {options: "-cdDiuz -f: -s: -w: --count --repeated --unique --ignore-case --skip-fields:", contents: true, most: 1},                                      // the second is written
	"cut":       {options: "-szn -b: -c: -d: -f: --delimiter: --fields: --characters: --bytes: --complement --only-delimited --output-delimiter:", contents: true},
	"tr":        {options: "-cCdst --delete --squeeze-repeats --complement --truncate-set1"},
	"paste":     {options: "-sz -d: --delimiters: --serial", contents: true},
	"column":    {options: "-txen -s: -c: -o: --table --separator: --output-separator:", contents: true},
	"rev":       {contents: true},
	"tac":       {contents: true},
	"od":        {options: "-abcdfilosxv -A: -j: -N: -t: -w?", contents: true},
	"hexdump":   {options: "-bcCdovx -n: -s:", contents: true},
	"strings":   {options: "-af -n: -t: -e: --bytes:", contents: true},
	"sed":       {check: sed, contents: true},
	"basename":  {options: "-az -s: --multiple --suffix:"},
	"dirname":   {options: "-z"},
	"realpath":  {options: "-eLmPsqz --relative-to: --relative-base: --canonicalize-existing --canonicalize-missing"},
	"readlink":  {options: "-efmnqsvz --canonicalize"},
	"md5sum":    {options: "-bctwz --check --status --quiet"},
	"sha1sum":   {options: "-bctwz --check --status --quiet"},
	"sha256sum": {options: "-bctwz --check --status --quiet"},
	"cksum":     {},
	"zcat":      {contents: true},
	"test":      {check: test}, "[": {check: bracket},
	"pwd":      {options: "-LP", most: -1},
	"which":    {options: "-as"},
	"command":  {check: lookUp},
	"uname":    {options: "-asnrvmpio --all", most: -1},
	"whoami":   {most: -1},
	"id":       {options: "-ugGnrz"},
	"hostname": {options: "-fsidIA", most: -1}, // an operand renames the machine
	"nproc":    {options: "--all --ignore:", most: -1},
	"free":     {options: "-bhkmgtw --human", most: -1},
	"uptime":   {options: "-ps", most: -1},
	"date":     {check: date},
	"ps":       {check: ps},

	"echo":   {check: harmless, idle: true},
	"printf": {check: printf, idle: true},
	"true":   {most: -1, idle: true},
	"false":  {most: -1, idle: true},
	"cd":     {check: cd, idle: true},
}

const grepOptions = "-# -abcEFGhHiIlLnoPqrRsTUvwxyzZ -A: -B: -C: -d: -D: -e: -f: -m: --after-context: --before-context: --context: --color? --colour?" +
	" --count --exclude: --exclude-dir: --include: --extended-regexp --fixed-strings --perl-regexp --files-with-matches --files-without-match --ignore-case" +
	" --invert-match --line-number --line-regexp --max-count: --no-filename --no-messages --null --only-matching --quiet --recursive --regexp: --text --with-filename --word-regexp"

func harmless([]word) string { return "" }

// printf -v sets a variable, and what its subscript holds is run.
func printf(args []word) string {
	if len(args) == 0 || strings.HasPrefix(args[0].text, "-") {
		return "'printf' takes a format first"
	}
	return ""
}

// lookUp: without -v command runs its words.
func lookUp(args []word) string {
	if len(args) != 2 || args[0].text != "-v" && args[0].text != "-V" {
		return "of command only the form command -v NAME looks"
	}
	return ""
}

// cd leads to a directory below: elsewhere a relative path would mean something
// that was not judged.
func cd(args []word) string {
	if len(args) != 1 || strings.HasPrefix(args[0].text, "-") || strings.HasPrefix(args[0].text, "/") || strings.Contains(args[0].text, "..") {
		return "commands run in the checkout already; leave 'cd' out, or name a directory below it"
	}
	return ""
}

// Predicates of find that test or print, with the number of words that follow.
// Actions that run, delete or write are missing.
var predicates = map[string]int{
	"-name": 1, "-iname": 1, "-path": 1, "-ipath": 1, "-wholename": 1, "-regex": 1, "-iregex": 1, "-regextype": 1, "-type": 1, "-xtype": 1,
	"-size": 1, "-mtime": 1, "-mmin": 1, "-atime": 1, "-amin": 1, "-ctime": 1, "-cmin": 1, "-newer": 1, "-anewer": 1, "-cnewer": 1, "-newermt": 1,
	"-perm": 1, "-user": 1, "-group": 1, "-uid": 1, "-gid": 1, "-inum": 1, "-links": 1, "-samefile": 1, "-lname": 1, "-maxdepth": 1, "-mindepth": 1,
	"-printf": 1, "-empty": 0, "-executable": 0, "-readable": 0, "-writable": 0, "-nouser": 0, "-nogroup": 0, "-true": 0, "-false": 0,
	"-print": 0, "-print0": 0, "-ls": 0, "-prune": 0, "-quit": 0, "-depth": 0, "-xdev": 0, "-mount": 0, "-daystart": 0, "-follow": 0,
	"-not": 0, "-a": 0, "-and": 0, "-o": 0, "-or": 0, "-H": 0, "-L": 0, "-P": 0,
}

func find(args []word) string {
	for i := 0; i < len(args); i++ {
		if !strings.HasPrefix(args[i].text, "-") {
			continue
		}
		follow, ok := predicates[args[i].text]
		if !ok || i+follow >= len(args) {
			return "'find' is not known to only look with '" + args[i].text + "'"
		}
		i += follow
	}
	return ""
}

// operators of test. Its -v, and arithmetic on words, evaluate subscripts.
var operators = []string{"-f", "-d", "-e", "-s", "-r", "-w", "-x", "-L", "-h", "-z", "-n", "=", "!=", "-nt", "-ot", "-ef", "!", "-a", "-o"}

func test(args []word) string {
	for _, a := range args {
		if a.text == "" || a.text[0] == '-' && !slices.Contains(operators, a.text) {
			return "'test' is not known to only look with '" + a.text + "'"
		}
	}
	return ""
}

func bracket(args []word) string {
	if len(args) == 0 || args[len(args)-1].text != "]" {
		return "'[' without ']'"
	}
	return test(args[:len(args)-1])
}

// printing is the one sed script that models need: lines by number.
var printing = regexp.MustCompile(`^([0-9]+|\$)(,([0-9]+|\$))?p$`)

func sed(args []word) string {
	if len(args) < 2 || args[0].text != "-n" || !printing.MatchString(args[1].text) {
		return "of sed only the form sed -n '1,40p' FILE is known"
	}
	for _, a := range args[2:] {
		if strings.HasPrefix(a.text, "-") {
			return "'sed' is not known to only look with '" + a.text + "'"
		}
	}
	return ""
}

func date(args []word) string {
	for _, a := range args {
		if !strings.HasPrefix(a.text, "+") && !slices.Contains([]string{"-u", "-R", "-I", "-Is", "-Iseconds", "--utc"}, a.text) {
			return "'date' is not known to only look with '" + a.text + "'"
		}
	}
	return ""
}

// ps shows the environment of processes, tokens and all, when it is asked for.
func ps(args []word) string {
	for _, a := range args {
		if !slices.Contains([]string{"aux", "ax", "-ef", "-e", "-f", "-A"}, a.text) {
			return "'ps' is known in the forms 'ps aux' and 'ps -ef'"
		}
	}
	return ""
}
