package guards

// systemCommands tell about the machine.
var systemCommands = map[string]command{
	"pwd":         {options: "-LP", most: -1},
	"which":       {options: "-as --all", safe: true},
	"whereis":     {options: "-bmsul", safe: true},
	"whatis":      {options: "-lrw"},
	"uname":       {options: "-asnrvmpio --all", most: -1},
	"arch":        {most: -1}, // on a Mac it runs its operands
	"sw_vers":     {check: only("", "-productName", "-productVersion", "-buildVersion", "--productName", "--productVersion", "--buildVersion")},
	"locale":      {options: "-akcm"},
	"getconf":     {options: "-a", most: 2},
	"whoami":      {most: -1},
	"id":          {options: "-ugGnrz"},
	"groups":      {most: 1},
	"users":       {most: -1},
	"who":         {options: "-abHmqu", most: -1},
	"tty":         {options: "-s", most: -1},
	"hostname":    {options: "-fsidIA", most: -1}, // an operand renames the machine
	"nproc":       {options: "--all --ignore:", most: -1},
	"free":        {options: "-bhkmgtw --human --mega --giga", most: -1},
	"uptime":      {options: "-ps", most: -1},
	"vmstat":      {options: "-sw -S:", most: -1},
	"lscpu":       {options: "-aepJ --json", most: -1},
	"lsblk":       {options: "-abdfilmnopSstJ -o: --output: --json"},
	"lsb_release": {options: "-abcdirs", most: -1},
	"mount":       {options: "-l -t:", most: -1},
	"findmnt":     {options: "-alnruJ -t: -o: --json"},
	"date":        {check: date},
	"cal":         {options: "-13my"},
	"ps":          {check: ps},
	"pgrep":       {options: "-aflnvxu -u: -U: -g: -P: -t: -c"},
	"pstree":      {options: "-aAchlnptuU"},
	"jobs":        {options: "-lnprs", most: -1},
	"top":         {options: "-bciHS -n: -o: -p: -u: -w:", need: []string{"-b"}, check: top},
	"kill":        {check: kill},
	"lsof":        {check: lsof},
	"fuser":       {options: "-vanm:"},
	"ss":          {options: "-tulnpasemix4609oW --listening --tcp --udp --numeric --processes --all --summary"},
	"netstat":     {options: "-tulnpasrieW46", need: []string{"-n"}},
	"ip":          {check: ip},
	"ifconfig":    {options: "-as", most: 1},
	"sysctl":      {check: sysctl},
	"systemctl":   {options: "--user --no-pager --all -a --type: --state: --full -l -n: --lines: -q --quiet", subcommands: systemctlCommands, bare: true},
	"journalctl": {options: "-u: -n: -b? -k -r -x -e -p: -o: -t: -q --unit: --lines: --boot? --since: --until: --priority: --output: --no-pager --user --reverse --dmesg --grep: -g: -S: -U: --list-boots --disk-usage",
		need: []string{"--no-pager"}, hint: "-f never ends"},
	"dmesg":       {options: "-HTxktuL -l: --human --ctime --level:", most: -1},
	"timedatectl": {options: "--no-pager", subcommands: map[string]command{"show": {options: "--all -a -p: --property: --value"}, "status": {}, "list-timezones": {}}, bare: true},
	"hostnamectl": {options: "--no-pager", subcommands: map[string]command{"status": {}}, bare: true},
	"loginctl":    {options: "--no-pager", subcommands: map[string]command{"list-sessions": {}, "list-users": {}}, bare: true},
	"crontab":     {options: "-l", need: []string{"-l"}, most: -1},
	"getent":      {check: getent},
	"printenv":    {check: printenv},
	"tput":        {subcommands: map[string]command{"cols": {most: -1}, "lines": {most: -1}, "colors": {most: -1}}},
	"stty":        {options: "-ag --all", need: []string{"-a", "-g", "--all"}, most: -1},
	"docker":      {subcommands: dockerCommands, hint: "it starts or changes containers"},
	"kubectl":     {subcommands: map[string]command{"config": {subcommands: map[string]command{"current-context": {most: -1}, "get-contexts": {options: "-o: --output:"}}}}},
	"go":          {check: goTool},
	"gofmt":       {options: "-lde -s", need: []string{"-l", "-d"}, hint: "-w writes the files"},
	"pip":         {subcommands: pipCommands},
	"pip3":        {subcommands: pipCommands},
	"sqlite3":     {check: refused("a look leaves files beside the database when it keeps a write-ahead log")},
	"env":         {check: env}, "printf": {check: printf, idle: true},
}

var (
	ipShow    = command{subcommands: map[string]command{"show": {}, "list": {}, "ls": {}}, bare: true}
	ipObjects = map[string]command{"addr": ipShow, "address": ipShow, "a": ipShow, "link": ipShow, "l": ipShow, "route": ipShow, "r": ipShow, "neigh": ipShow, "rule": ipShow}

	systemctlCommands = map[string]command{"status": {options: systemctlOptions}, "is-active": {options: "-q --quiet"}, "is-enabled": {options: "-q --quiet"},
		"is-failed": {options: "-q --quiet"}, "list-units": {options: systemctlOptions}, "list-unit-files": {options: systemctlOptions},
		"list-timers": {options: systemctlOptions}, "list-sockets": {options: systemctlOptions}, "show": {options: systemctlOptions + " -p: --property: --value"},
		"cat": {options: "--no-pager"}, "list-dependencies": {options: systemctlOptions}, "is-system-running": {most: -1}}

	dockerCommands = map[string]command{
		"ps":      {options: "-aqlns --all --quiet --no-trunc --latest --size -f: --filter: --format:"},
		"images":  {options: "-aq --all --quiet --no-trunc --digests -f: --filter: --format:"},
		"logs":    {options: "-t -n: --tail: --since: --until: --timestamps --details", hint: "-f never ends"},
		"version": {most: -1}, "info": {most: -1}, "port": {}, "top": {},
		"stats":   {options: "-a --all --no-stream --no-trunc --format:", need: []string{"--no-stream"}},
		"volume":  {subcommands: map[string]command{"ls": {options: "-q --quiet -f: --filter: --format:"}}},
		"network": {subcommands: map[string]command{"ls": {options: "-q --quiet -f: --filter: --format: --no-trunc"}}},
		"compose": {subcommands: map[string]command{"ps": {options: "-aq --all --quiet --format: --services"}}},
	}

	pipCommands = map[string]command{"list": {options: "--format: --local --user --not-required --disable-pip-version-check"}, "show": {options: "-f --files"},
		"freeze": {options: "--local --user --all"}, "--version": {most: -1}}
)

const systemctlOptions = "--no-pager --all -a --type: -t: --state: --full -l -n: --lines: -q --quiet --user --plain --no-legend"

// versions are programs that tell their version when it is all they are asked,
// and neither fetch nor write for it.
var versions = map[string]bool{"node": true, "python": true, "python3": true, "make": true, "gcc": true, "g++": true, "cc": true, "clang": true, "clang++": true,
	"ruby": true, "perl": true, "php": true, "java": true, "javac": true, "cmake": true, "ninja": true, "meson": true, "pkg-config": true, "bash": true, "zsh": true,
	"curl": true, "wget": true, "psql": true, "mysql": true, "sqlite3": true, "tmux": true, "vim": true, "docker": true, "ld": true, "swift": true, "deno": true,
	"bun": true, "lua": true, "ghc": true, "rg": true, "jq": true, "less": true, "tar": true, "sed": true, "awk": true, "grep": true, "find": true, "diff": true, "xz": true}

// shellCommands are builtins, and commands that run their words.
var shellCommands = map[string]command{
	"test": {check: test}, "[": {check: bracket},
	"type":    {options: "-atpPf"},
	"command": {check: prefix},
	"ulimit":  {options: "-aHScdefilmnpqrstuvx", most: -1},
	"umask":   {options: "-Sp", most: -1},
	"timeout": {check: timeout}, "nice": {check: nice},
	"xargs": {check: xargs},
	"git":   {check: git},
	"bash":  {check: script}, "sh": {check: script}, "dash": {check: script},

	"read":  {check: read, idle: true},
	"set":   {check: set, idle: true},
	"shopt": {check: shopt, idle: true},
	"sleep": {check: sleep, idle: true},
	"seq":   {options: "-w -s: -f:", idle: true, most: 3},
	"expr":  {check: sum, idle: true},
	"echo":  {check: harmless, idle: true},
	"true":  {most: -1, idle: true}, ":": {most: -1, idle: true},
	"false": {most: -1, idle: true},
	"break": {most: 1, idle: true}, "continue": {most: 1, idle: true},
	"cd":   {check: cd, idle: true},
	"wait": {most: -1, idle: true},
}
