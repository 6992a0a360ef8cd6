package guards

// tables hold the commands that only look. What is missing there is refused, so
// add a row, and its reason to the test's table. An option is left out when it
// writes, runs a program, asks another machine, or never ends.
func tables() []map[string]command {
	return []map[string]command{fileCommands, textCommands, shellCommands, systemCommands}
}

// fileCommands tell about files.
var fileCommands = map[string]command{
	"ls": {options: "-1aAbBcCdfFgGhHiIklLmnNopqQrRsStuUvwxXZ --all --almost-all --author --color? --directory --full-time --group-directories-first" +
		" --human-readable --inode --recursive --reverse --size --sort: --time: --time-style: --hide: --ignore: --classify? --si --numeric-uid-gid --no-group", safe: true},
	"dir":  {options: "-1aAlhrtS", safe: true},
	"stat": {options: "-c: -f: -Lt --format: --printf: --dereference --terse --file-system", safe: true},
	"file": {options: "-bhiLkr0 --brief --mime --mime-type --mime-encoding --dereference", hint: "-C writes a file, and -z runs programs"},
	"find": {check: find},
	"fd":   {options: fdOptions}, "fdfind": {options: fdOptions},
	"tree": {options: "-adfilpsughDFtrcSnQxCJX -L: -I: -P: --dirsfirst --prune --gitignore --du --noreport --filelimit: --charset: --matchdirs --ignore-case", hint: "-o writes a file"},
	"du":   {options: "-abchHklLmsSx0 -d: -t: --max-depth: --all --apparent-size --human-readable --summarize --total --exclude: --time?", safe: true},
	"df":   {options: "-aBhHiklPT -t: -x: --human-readable --inodes --total --type: --output?", safe: true},
	"diff": {options: "-abBdeEiNqrstuwy -U: -C: -x: -I: -W: --brief --recursive --unified? --context? --color? --ignore-all-space --ignore-case" +
		" --ignore-blank-lines --ignore-space-change --strip-trailing-cr --exclude: --side-by-side --suppress-common-lines --minimal --new-file" +
		" --report-identical-files --width: --label:", contents: true}, // -l runs pr
	"cmp":       {options: "-bls -n: -i: --silent --verbose --bytes:", safe: true},
	"basename":  {options: "-az -s: --multiple --suffix:", safe: true},
	"dirname":   {options: "-z", safe: true},
	"realpath":  {options: "-eLmPsqz --relative-to: --relative-base: --canonicalize-existing --canonicalize-missing", safe: true},
	"readlink":  {options: "-efmnqsvz --canonicalize", safe: true},
	"md5sum":    {options: sumOptions, safe: true},
	"sha1sum":   {options: sumOptions, safe: true},
	"sha256sum": {options: sumOptions, safe: true},
	"sha512sum": {options: sumOptions, safe: true},
	"shasum":    {options: sumOptions + " -a:"},
	"cksum":     {},
	"zcat":      {options: "-f", contents: true},
	"xzcat":     {contents: true},
	"bzcat":     {contents: true},
	"zstdcat":   {contents: true},
	"gzip":      {options: zipOptions, need: zipNeed, contents: true},
	"gunzip":    {options: zipOptions, need: []string{"-c", "-l", "-t", "--stdout", "--list", "--test"}, contents: true},
	"xz":        {options: zipOptions, need: zipNeed, contents: true},
	"bzip2":     {options: "-dctvkq --stdout --test", need: []string{"-c", "-t", "--stdout", "--test"}, contents: true},
	"tar":       {check: tar},
	"unzip":     {options: "-lpvtZqzC1hsmT", need: []string{"-l", "-p", "-v", "-t", "-Z", "-z"}, contents: true},
	"zipinfo":   {options: "-12slmvhtTzC"},
}

const (
	sumOptions = "-bctwz --check --status --quiet --tag --binary --text"
	zipOptions = "-lcdtvkqn --list --stdout --to-stdout --test --decompress --keep --quiet --verbose"
	fdOptions  = "-HIuasgFil0pLq -1 -e: -t: -d: -E: -S: -o: -c: --hidden --no-ignore --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings" +
		" --absolute-path --follow --full-path --print0 --max-depth: --min-depth: --exact-depth: --type: --extension: --size: --exclude: --color: --max-results:" +
		" --changed-within: --changed-before: --owner: --quiet --show-errors --list-details" // -x and -X run programs
)

// zipNeed: without one of these the file is replaced by what it is made of.
var zipNeed = []string{"-c", "-l", "-t", "--stdout", "--to-stdout", "--list", "--test"}

// textCommands print what files hold, or what they are given.
var textCommands = map[string]command{
	"cat":  {options: "-AbeEnstTuv --number --number-nonblank --show-all --show-ends --squeeze-blank --show-tabs", contents: true, safe: true},
	"bat":  {options: "-pnA -l: -r: --plain --number --language: --line-range: --paging=never --color: --style:", need: []string{"--paging=never"}, contents: true},
	"less": {check: pager, contents: true},
	"more": {check: pager, contents: true},
	"head": {options: "-# -n: -c: -qvz --lines: --bytes: --quiet --silent --verbose", contents: true, safe: true},
	"tail": {options: "-# -n: -c: -qvrz --lines: --bytes: --quiet --silent --verbose", contents: true, hint: "a look ends by itself: tail -n 50 FILE"}, // -f never ends
	"wc":   {options: "-clmLw --bytes --chars --lines --words --max-line-length", safe: true},
	"nl":   {options: "-b: -n: -w: -s: -v: -i: -f: -h: -p --body-numbering: --number-format: --number-width:", contents: true, safe: true},
	"grep": {options: grepOptions, contents: true, safe: true}, "egrep": {options: grepOptions, contents: true, safe: true},
	"fgrep": {options: grepOptions, contents: true, safe: true}, "zgrep": {options: "-cinvEFhHlq -e: -A: -B: -C: -m:", contents: true},
	"rg": {options: rgOptions, contents: true, hint: "--pre, -z and --hostname-bin run programs"},
	"ag": {options: "-aciGilLnQsSvwU -A: -B: -C: -m: --hidden --nocolor --nogroup --count --literal --word-regexp --depth:", contents: true, hint: "--pager runs a program"},
	"sort": {options: "-bcCdfghiMmnRrsuVz -k: -t: --key: --numeric-sort --reverse --unique --version-sort --human-numeric-sort --field-separator:" +
		" --ignore-case --general-numeric-sort --stable --zero-terminated --check? --month-sort --random-sort --dictionary-order --ignore-leading-blanks", contents: true,
		hint: "-o writes a file"},
	"uniq":    {options: "-cdDiuz -f: -s: -w: --count --repeated --unique --ignore-case --skip-fields: --skip-chars: --check-chars: --all-repeated?", contents: true, most: 1}, // the second is written
	"cut":     {options: "-szn -b: -c: -d: -f: --delimiter: --fields: --characters: --bytes: --complement --only-delimited --output-delimiter:", contents: true, safe: true},
	"tr":      {options: "-cCdst --delete --squeeze-repeats --complement --truncate-set1", safe: true},
	"paste":   {options: "-sz -d: --delimiters: --serial", contents: true, safe: true},
	"join":    {options: "-i -1: -2: -a: -e: -j: -o: -t: -v: --header --check-order --nocheck-order", contents: true, safe: true},
	"comm":    {options: "-123 --check-order --nocheck-order --total --output-delimiter:", contents: true, safe: true},
	"column":  {options: "-txen -s: -c: -o: -N: -R: -J --json --table --separator: --output-separator: --table-columns:", contents: true, safe: true},
	"fold":    {options: "-bs -w: --width: --spaces", contents: true, safe: true},
	"fmt":     {options: "-cstu -w: -g: --width:", contents: true, safe: true},
	"expand":  {options: "-i -t: --tabs:", contents: true, safe: true},
	"rev":     {contents: true, safe: true},
	"tac":     {options: "-br -s:", contents: true, safe: true},
	"od":      {options: "-abcdfilosxv -A: -j: -N: -t: -w? --format: --address-radix:", contents: true, safe: true},
	"xxd":     {options: "-abeEpu -c: -g: -l: -o: -s:", contents: true, most: 1, hint: "-r and a second file write"},
	"hexdump": {options: "-bcCdovx -n: -s:", contents: true, safe: true}, "hd": {options: "-v -n: -s:", contents: true},
	"strings": {options: "-af -n: -t: -e: --bytes:", contents: true, safe: true},
	"base64":  {options: "-di -w: --decode --wrap: --ignore-garbage", contents: true},
	"sed":     {check: sed, contents: true},
	"awk":     {check: awk, contents: true}, "gawk": {check: awk, contents: true}, "mawk": {check: awk, contents: true},
	"jq": {options: "-rncsCMSejRa0 --raw-output --null-input --compact-output --slurp --color-output --monochrome-output --sort-keys --exit-status --tab --indent:" +
		" --raw-input --join-output --ascii-output --arg: --argjson: --stream --seq --args --jsonargs --slurpfile: --rawfile: -f: --from-file:", contents: true, safe: true},
	"yq":  {options: "-rPMCNj -o: -p: --no-colors --colors --prettyPrint --unwrapScalar --output-format: --input-format:", contents: true, hint: "-i writes the file"},
	"tee": {check: tee, names: true},
}

const (
	grepOptions = "-# -abcEFGhHiIlLnoPqrRsTUvwxyzZ -A: -B: -C: -d: -D: -e: -f: -m: --after-context: --before-context: --context: --color? --colour?" +
		" --count --exclude: --exclude-dir: --include: --extended-regexp --fixed-strings --perl-regexp --files-with-matches --files-without-match --ignore-case" +
		" --invert-match --line-number --line-regexp --max-count: --no-filename --no-messages --null --only-matching --quiet --silent --recursive --regexp: --text" +
		" --with-filename --word-regexp --binary-files: --basic-regexp --line-buffered --initial-tab --dereference-recursive --exclude-from: --file: --byte-offset"
	// A configuration file of the person's can name a preprocessor; --pre does.
	rgOptions = "-cFiIlLnNoqsSuUvwxHPp0 --no-config -e: -g: -t: -T: -m: -A: -B: -C: -d: -M: -r: -j: -E: -f: --files --hidden --no-ignore --no-ignore-vcs --glob:" +
		" --iglob: --type: --type-not: --type-list --max-count: --max-depth: --maxdepth: --files-with-matches --files-without-match --count --count-matches" +
		" --line-number --no-line-number --no-heading --heading --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp --context:" +
		" --after-context: --before-context: --color: --colors: --sort: --sortr: --stats --json --multiline --multiline-dotall --vimgrep --pcre2 --regexp: --replace:" +
		" --only-matching --passthru --trim --invert-match --with-filename --no-filename --no-messages --column --max-columns: --max-filesize: --follow --text" +
		" --unrestricted --null --quiet --pretty --pre-glob: --no-require-git --encoding: --threads: --include-zero --path-separator: --crlf --binary"
)
