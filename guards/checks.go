package guards

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// written refuses words that are not written out, for commands whose every word
// counts.
func written(name string, args []word) string {
	for _, a := range args {
		if !a.known() {
			return fmt.Sprintf("'%s' is known with written-out words only, not '%s'", name, shown(a.text))
		}
	}
	return ""
}

// only allows none but these words. An empty one stands for none at all.
func only(words ...string) check {
	return func(_ *glancer, _ *syntax.CallExpr, name string, args []word) string {
		if len(args) == 0 && !slices.Contains(words, "") {
			return fmt.Sprintf("'%s' alone does more than look", name)
		}
		for _, a := range args {
			if !a.known() || !slices.Contains(words, a.text) {
				return fmt.Sprintf("'%s' is not known to only look with '%s'", name, shown(a.text))
			}
		}
		return ""
	}
}

func refused(why string) check {
	return func(*glancer, *syntax.CallExpr, string, []word) string { return why }
}

// harmless: whatever is said to it, it only says something. A pattern or a
// variable of the environment makes that a look.
func harmless(g *glancer, c *syntax.CallExpr, name string, args []word) string {
	for _, w := range c.Args {
		for _, part := range w.Parts {
			if _, ok := part.(*syntax.CmdSubst); ok {
				return fmt.Sprintf(`the shell takes the words of an unquoted $(…) apart; write %s "$(…)"`, name)
			}
		}
	}
	for _, a := range args {
		g.looked = g.looked || a.glob
	}
	return ""
}

// printf -v sets a variable, and what its subscript holds is run.
func printf(g *glancer, c *syntax.CallExpr, name string, args []word) string {
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 || strings.HasPrefix(args[0].text, "-") || args[0].option() {
		return "'printf' takes a written-out format first"
	}
	return harmless(g, c, name, args)
}

var version check = func(_ *glancer, _ *syntax.CallExpr, name string, args []word) string {
	if len(args) == 1 && slices.Contains([]string{"--version", "-version", "-V", "-v", "--help"}, args[0].text) && (args[0].text != "-v" || name == "node") {
		return ""
	}
	return fmt.Sprintf("of '%s' only '%s --version' looks", name, name)
}

// cd of what is known keeps in mind where later paths lead.
func cd(g *glancer, _ *syntax.CallExpr, _ string, args []word) string {
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		g.enter("/" + anything)
	case len(args) > 1, args[0].free, args[0].glob, strings.HasPrefix(args[0].text, "-"):
		return "'cd' takes one directory: cd DIR && ls"
	case strings.HasPrefix(args[0].text, anything):
		g.enter("/" + anything)
	default:
		g.enter(args[0].text)
	}
	return ""
}

// read: what its name holds as a subscript would be run.
func read(g *glancer, _ *syntax.CallExpr, _ string, args []word) string {
	names := 0
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !a.known():
			return "'read' needs the plain names of variables"
		case names == 0 && (a.text == "-r" || a.text == "-s"):
		case names == 0 && (a.text == "-d" || a.text == "-n" || a.text == "-p") && i+1 < len(args) && !args[i+1].option():
			i++
		case !variableName(a.text) || settable(a.text) != "":
			return fmt.Sprintf("'read' is not known to only look with '%s'; use a small name such as 'line'", shown(a.text))
		default:
			g.assign(a.text, anything)
			names++
		}
	}
	if names == 0 {
		return "'read' needs the name of a variable"
	}
	return ""
}

var (
	shellFlags     = like(`^[-+][euf]+$`)
	beforePipefail = like(`^-[eu]+o$`)
)

// set changes how the shell takes failures.
func set(_ *glancer, _ *syntax.CallExpr, name string, args []word) string {
	for i := 0; i < len(args); i++ {
		switch text := args[i].text; {
		case (text == "-o" || text == "+o") && i+1 < len(args) && args[i+1].text == "pipefail":
			i++
		case shellFlags(text):
		case beforePipefail(text) && i+1 < len(args) && args[i+1].text == "pipefail":
			i++
		default:
			return fmt.Sprintf("of '%s' only -e, -u, -f and -o pipefail are known, not '%s'", name, shown(text))
		}
	}
	if len(args) == 0 {
		return "'set' alone prints all variables"
	}
	return ""
}

var shopt = only("-s", "-u", "globstar", "nullglob", "nocaseglob", "failglob")

var minute = like(`^([0-5]?\d|60)(\.\d+)?s?$`)

// sleep of a minute at most.
func sleep(_ *glancer, _ *syntax.CallExpr, _ string, args []word) string {
	if len(args) == 1 && minute(args[0].text) {
		return ""
	}
	return "a look waits a minute at most: sleep 5"
}

var sum check = func(_ *glancer, _ *syntax.CallExpr, name string, args []word) string { return written(name, args) }

// tee copies to where nothing is kept.
func tee(_ *glancer, _ *syntax.CallExpr, _ string, args []word) string {
	for _, a := range args {
		if !a.known() || !slices.Contains([]string{"/dev/null", "/dev/stderr", "/dev/stdout"}, a.text) {
			return fmt.Sprintf("'tee' writes '%s'; leave it out and read what is printed", shown(a.text))
		}
	}
	return ""
}

// pager copies to a pipe; a word that begins with '+' is run.
func pager(_ *glancer, _ *syntax.CallExpr, name string, args []word) string {
	for _, a := range args {
		options := []string{"-N", "-S", "-R", "-F", "-X", "-FX", "-FRX", "-RS"}
		if a.option() || strings.HasPrefix(a.text, "+") || strings.HasPrefix(a.text, "-") && !slices.Contains(options, a.text) {
			return fmt.Sprintf("'%s' is not known to only look with '%s'; use 'cat FILE' or 'head -50 FILE'", name, shown(a.text))
		}
	}
	return ""
}

var dateFlags = strings.Fields("-u -R -I -Is -Iseconds -Iminutes -Idate --utc --iso-8601 --iso-8601=seconds --rfc-3339=seconds")

func date(_ *glancer, _ *syntax.CallExpr, name string, args []word) string {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case (a.text == "-d" || a.text == "-r" || a.text == "--date") && i+1 < len(args) && !args[i+1].option():
			i++
		case strings.HasPrefix(a.text, "--date=") && !a.free:
		case a.free || !strings.HasPrefix(a.text, "+") && !slices.Contains(dateFlags, a.text):
			return fmt.Sprintf("'%s' is not known to only look with '%s'", name, shown(a.text))
		}
	}
	return ""
}

// Options of ps that are known, alone and with a value in the next word.
var (
	psFlags  = strings.Fields("aux auxw auxww auxf ax axu axo ww -ef -e -f -A -eF -F -l -x -a -ax -T -H -w -ww -efH -efww")
	psValued = strings.Fields("-o -eo -p -u -C -t -U -Ao -axo o axo --pid --ppid")
	psOption = like(`^--(sort|pid|ppid|format|user)=[\w%,.:+-]*$|^--(no-headers|no-heading|forest|headers)$|^\d+$`)
)

// ps shows the environment of processes, tokens and all, when it is asked for.
func ps(_ *glancer, _ *syntax.CallExpr, _ string, args []word) string {
	for i := 0; i < len(args); i++ {
		text := args[i].text
		switch {
		case args[i].option():
		case slices.Contains(psFlags, text):
			continue
		case slices.Contains(psValued, text) && i+1 < len(args) && !args[i+1].option():
			i++
			continue
		case psOption(text):
			continue
		}
		return fmt.Sprintf("'ps' is known in forms such as 'ps aux', 'ps -ef' and 'ps -eo pid,args', not '%s'", shown(text))
	}
	return ""
}

func top(_ *glancer, _ *syntax.CallExpr, name string, args []word) string {
	given, operands, bad := command{options: "-bciHS -n: -o: -p: -u: -w:"}.split(args)
	if bad != "" || len(operands) > 0 || !given["-b"] || !given["-n"] || written(name, args) != "" {
		return "of 'top' only the form 'top -b -n 1' ends"
	}
	return ""
}

// kill -0 sends nothing.
func kill(_ *glancer, _ *syntax.CallExpr, name string, args []word) string {
	if len(args) > 1 && args[0].text == "-0" && written(name, args) == "" || len(args) == 1 && args[0].text == "-l" {
		return ""
	}
	return "of 'kill' only 'kill -0 PID' looks"
}

var (
	lsofNumeric = like(`^-[nPbaltU]*n[nPbaltU]*$`)
	lsofOption  = like(`^-([nPbaltU]+|i[\w:,.@]*|s[\w:]+|[cpud]|[cpud][\w^,]+|F\w*)$`)
)

// lsof asks name servers unless it is told not to.
func lsof(_ *glancer, _ *syntax.CallExpr, name string, args []word) string {
	numeric := false
	for _, a := range args {
		if why := written(name, args); why != "" {
			return why
		}
		numeric = numeric || lsofNumeric(a.text)
		if strings.HasPrefix(a.text, "-") && !lsofOption(a.text) {
			return fmt.Sprintf("'%s' is not known to only look with '%s'", name, a.text)
		}
	}
	if !numeric {
		return "'lsof' asks name servers without -n: lsof -nP -i"
	}
	return ""
}

func sysctl(_ *glancer, _ *syntax.CallExpr, name string, args []word) string {
	for _, a := range args {
		if !a.known() || strings.Contains(a.text, "=") || strings.HasPrefix(a.text, "-") && a.text != "-n" && a.text != "-a" {
			return fmt.Sprintf("'%s' sets something with '%s'; name a key alone", name, shown(a.text))
		}
	}
	return ""
}

// ip has long options with one dash, so their letters cannot be told apart.
func ip(g *glancer, c *syntax.CallExpr, name string, args []word) string {
	for len(args) > 0 && slices.Contains([]string{"-br", "-brief", "--brief", "-4", "-6", "-j", "-json", "-d", "-s", "-o", "-c", "-color"}, args[0].text) {
		args = args[1:]
	}
	for _, a := range args {
		if strings.HasPrefix(a.text, "-") {
			return fmt.Sprintf("'%s' is not known to only look with '%s'", name, a.text)
		}
	}
	return command{subcommands: ipObjects}.judge(g, c, name, args)
}

// getent of files; names of hosts are asked of other machines.
func getent(_ *glancer, _ *syntax.CallExpr, name string, args []word) string {
	if len(args) > 0 && slices.Contains([]string{"passwd", "group", "services", "protocols", "shells", "rpc"}, args[0].text) {
		return written(name, args)
	}
	return "of 'getent' only passwd, group, services and protocols are looked up on this machine"
}

func printenv(g *glancer, _ *syntax.CallExpr, name string, args []word) string {
	if len(args) == 0 {
		return "the whole environment holds credentials, and would end up in the transcript; name one variable: printenv PATH"
	}
	for _, a := range args {
		if !variableName(a.text) {
			return fmt.Sprintf("'%s' takes the names of variables, not '%s'", name, shown(a.text))
		}
		if secretVariable(a.text) {
			g.secrets = append(g.secrets, secret{told: "$" + a.text})
		}
	}
	return ""
}

// goTool tells its version and settings. A go.mod can name another toolchain,
// which go would fetch and run.
func goTool(g *glancer, c *syntax.CallExpr, name string, args []word) string {
	if len(args) == 0 || args[0].text != "version" && args[0].text != "env" {
		return "of 'go' only 'go version' and 'go env NAME' look; the others fill caches, fetch modules or run code"
	}
	for _, a := range args[1:] {
		if a.text != "-json" && a.text != "-m" && (!variableName(a.text) || args[0].text == "version") {
			return fmt.Sprintf("'%s %s' is not known to only look with '%s'", name, args[0].text, shown(a.text))
		}
	}
	g.preface(c, "GOTOOLCHAIN", "local")
	return ""
}

// listing are the letters of tar that list.
var listing = like(`^[zjJavf]*t[zjJavf]*$`)

// tar lists.
func tar(_ *glancer, _ *syntax.CallExpr, name string, args []word) string {
	if len(args) == 0 {
		return "of 'tar' only 'tar -tf FILE' looks"
	}
	letters := strings.TrimPrefix(args[0].text, "-")
	if !listing(letters) && args[0].text != "--list" {
		return fmt.Sprintf("of 'tar' only 'tar -tf FILE' looks, not '%s'", shown(args[0].text))
	}
	for _, a := range args[1:] {
		if a.option() || strings.Contains(a.text, ":") || strings.HasPrefix(a.text, "-") && !slices.Contains([]string{"-f", "-v", "--verbose", "-z", "--"}, a.text) {
			return fmt.Sprintf("'%s' is not known to only look with '%s'", name, shown(a.text))
		}
	}
	return ""
}

// number reads a written-out whole number.
func number(w word) (int, bool) {
	n, err := strconv.Atoi(w.text)
	return n, err == nil && w.known()
}
