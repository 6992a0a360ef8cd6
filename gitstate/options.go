package gitstate

import (
	"fmt"
	"regexp"
	"strings"
)

// An Option is one of the limits that a run was begun with, as its request
// records it: it holds on wherever the run goes on.
type Option struct{ Name, Value string }

// optionForms are the options that a request may record, in their order, each
// with the one form of its value. What names files, programs or models of one
// machine is not among them; isolate says that the workers edited a checkout, which
// holds there alone; plugin is the tree of the pack.
var optionForms = []struct{ name, form string }{
	{"rounds", `[1-9][0-9]{0,8}`},
	{"jobs", `[1-9][0-9]{0,8}`},
	{"asks", `0|[1-9][0-9]{0,8}|unlimited`},
	{"budget", `(?:0|[1-9][0-9]{0,9})\.[0-9]{6}|none`},
	{"goal", `yes|no`},
	{"clarify-only", `yes|no`},
	{"isolate", `no`},
	{"plugin", `[0-9a-f]{40}|[0-9a-f]{64}`},
}

func printOptions(all []Option) string {
	words := make([]string, len(all))
	for i, o := range all {
		words[i] = o.Name + "=" + o.Value
	}
	return strings.Join(words, " ")
}

func parseOptions(text string) []Option {
	var all []Option
	for word := range strings.SplitSeq(text, " ") {
		name, value, _ := strings.Cut(word, "=")
		all = append(all, Option{name, value})
	}
	return all
}

// wrongOptions says what is wrong with options: each is known, has a value of its
// form and stands once, in the order of the table.
func wrongOptions(text string) string {
	all := parseOptions(text)
	if printOptions(all) != text {
		return "is not of the form 'name=value name=value'"
	}
	for _, f := range optionForms {
		if len(all) == 0 || all[0].Name != f.name {
			continue
		}
		if !regexp.MustCompile(`^(?:`+f.form+`)$`).MatchString(all[0].Value) || all[0].Value == "0.000000" {
			return fmt.Sprintf("has a value for %s that is none", f.name)
		}
		all = all[1:]
	}
	if len(all) > 0 {
		return fmt.Sprintf("has '%.40s' where no option of that name may stand", all[0].Name)
	}
	return ""
}
