package guards

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Predicates of find that test or print, with the number of words that follow.
// Actions that delete or write are missing; those that run something are judged.
var predicates = map[string]int{
	"-name": 1, "-iname": 1, "-path": 1, "-ipath": 1, "-wholename": 1, "-iwholename": 1, "-regex": 1, "-iregex": 1, "-regextype": 1, "-type": 1, "-xtype": 1,
	"-size": 1, "-mtime": 1, "-mmin": 1, "-atime": 1, "-amin": 1, "-ctime": 1, "-cmin": 1, "-newer": 1, "-anewer": 1, "-cnewer": 1, "-used": 1,
	"-perm": 1, "-user": 1, "-group": 1, "-uid": 1, "-gid": 1, "-inum": 1, "-links": 1, "-samefile": 1, "-lname": 1, "-ilname": 1, "-fstype": 1,
	"-maxdepth": 1, "-mindepth": 1, "-printf": 1, "-empty": 0, "-executable": 0, "-readable": 0, "-writable": 0, "-nouser": 0, "-nogroup": 0, "-true": 0, "-false": 0,
	"-print": 0, "-print0": 0, "-ls": 0, "-prune": 0, "-quit": 0, "-depth": 0, "-xdev": 0, "-mount": 0, "-daystart": 0, "-follow": 0, "-noleaf": 0,
	"-not": 0, "-a": 0, "-and": 0, "-o": 0, "-or": 0, "-H": 0, "-L": 0, "-P": 0,
}

var newer = like(`^-newer[aBcm][aBcmt]$`)

func find(g *glancer, c *syntax.CallExpr, name string, args []word) string {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a.option() && !strings.ContainsAny(a.text, "/.") || a.free {
			return command{}.refuse(name, a.text) // no predicate holds a slash or a dot
		}
		if !strings.HasPrefix(a.text, "-") {
			continue
		}
		if a.text == "-exec" || a.text == "-execdir" {
			used, why := execs(g, c, a.text, args[i+1:])
			if why != "" {
				return why
			}
			i += used
			continue
		}
		follow, ok := predicates[a.text]
		if newer(a.text) {
			follow, ok = 1, true
		}
		if !ok || i+follow >= len(args) || follow == 1 && args[i+1].free {
			return fmt.Sprintf("'find' is not known to only look with '%s'", shown(a.text))
		}
		i += follow
	}
	return ""
}

// execs judges the command that find runs for what it finds: it must be a look
// whatever is found, and with -execdir wherever. used is how many words it takes,
// with its end.
func execs(g *glancer, c *syntax.CallExpr, option string, args []word) (used int, why string) {
	end := slices.IndexFunc(args, func(a word) bool { return a.text == ";" || a.text == "+" })
	if end < 1 {
		return 0, "the end of '-exec' is missing: write \\; or +"
	}
	words := slices.Clone(args[:end])
	for i := range words {
		words[i].text = strings.ReplaceAll(words[i].text, "{}", "./"+anything)
	}
	if g.known(words[0].text).check != nil && !slices.Contains(steady, words[0].text) {
		return 0, fmt.Sprintf("'find' can run plain looks such as 'wc -l {}' or 'grep -l WORD {}', not '%s'", shown(words[0].text))
	}
	if option == "-execdir" {
		shell := g.dirs
		defer func() { g.dirs = shell }()
		g.dirs = append(slices.Clone(shell), "/"+anything)
	}
	return end + 1, g.run(c, words)
}

// steady commands have checks of their own, and look whatever file they are given.
var steady = []string{"sed", "awk", "test", "["}
