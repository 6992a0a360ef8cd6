package main

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pageText is the manual without its markup.
func pageText() string {
	text := regexp.MustCompile(`\\f[BIR]`).ReplaceAllString(manual, "")
	return strings.ReplaceAll(text, `\-`, "-")
}

// sectionOf returns the text of a command's part of the page.
func sectionOf(command string) string {
	_, rest, ok := strings.Cut(pageText(), "\n.SS \"git flower "+command)
	if !ok {
		return ""
	}
	return regexp.MustCompile(`(?s)\n\.S[SH] .*`).ReplaceAllString(rest, "")
}

func chapter(heading string) string {
	_, rest, _ := strings.Cut(pageText(), "\n.SH "+heading+"\n")
	text, _, _ := strings.Cut(rest, "\n.SH ")
	return text
}

// Page, -h and the option tables tell of the same commands and options.
func TestManual(t *testing.T) {
	inPage := regexp.MustCompile(`(?m)^\.SS "git flower ([a-z]+)`).FindAllStringSubmatch(pageText(), -1)
	var named []string
	for _, m := range inPage {
		named = append(named, m[1])
		if find(commands(), m[1]) == nil {
			t.Errorf("the page has '%s', which is no command", m[1])
		}
	}
	for _, c := range commands() {
		if !slices.Contains(named, c.name) {
			t.Errorf("the page lacks '%s'", c.name)
			continue
		}
		checkOptions(t, c)
	}
}

// spelledOption is an option as the page writes it in a heading line.
var spelledOption = regexp.MustCompile(`--(?:\[no-\])?[a-z][a-z-]+`)

func checkOptions(t *testing.T, c *command) {
	t.Helper()
	text := sectionOf(c.name)
	shared := text + chapter("OPTIONS")
	var ours []string
	for _, o := range c.options {
		spelled := "--" + o.long
		if o.no {
			spelled = "--[no-]" + o.long
		}
		ours = append(ours, spelled, "--"+o.long, "--no-"+o.long)
		if !slices.Contains(spelledOption.FindAllString(shared, -1), spelled) {
			t.Errorf("the page lacks %s of '%s'", spelled, c.name)
		}
		if o.short != "" && !strings.Contains(text, "-"+o.short) {
			t.Errorf("the page lacks -%s of '%s'", o.short, c.name)
		}
	}
	for line := range strings.SplitSeq(text, "\n.TP\n") {
		head, _, _ := strings.Cut(line, "\n")
		if !strings.HasPrefix(head, "-") {
			continue
		}
		for _, o := range spelledOption.FindAllString(head, -1) {
			if !slices.Contains(ours, o) {
				t.Errorf("the page has %s, which '%s' does not take", o, c.name)
			}
		}
	}
}

func TestManualOptionsAreTaken(t *testing.T) {
	start := find(commands(), "start")
	if start == nil {
		t.Fatal("there is no 'start'")
	}
	for line := range strings.SplitSeq(chapter("OPTIONS"), "\n.TP\n") {
		head, _, _ := strings.Cut(line, "\n")
		for _, o := range spelledOption.FindAllString(head, -1) {
			if _, _, ok := start.long(strings.TrimPrefix(strings.Replace(o, "[no-]", "", 1), "--")); !ok && strings.HasPrefix(head, "-") {
				t.Errorf("the page has %s, which 'start' does not take", o)
			}
		}
	}
}

// Every setting is in the page with its key, its variable and its default, and
// the page has no others.
func TestManualConfiguration(t *testing.T) {
	text := chapter("CONFIGURATION")
	var keys []string
	for _, s := range settings() {
		keys = append(keys, s.key)
		head := "\n.TP\n" + s.key + ", " + s.variable() + "\n"
		_, rest, ok := strings.Cut(text, head)
		if !ok {
			t.Errorf("the page lacks %q", head)
			continue
		}
		about, _, _ := strings.Cut(rest, "\n.TP\n")
		if s.preset != "" && !strings.Contains(about, "Default "+s.preset+".") {
			t.Errorf("the page gives %s another default than %s: %s", s.key, s.preset, about)
		}
	}
	for _, key := range regexp.MustCompile(`(?m)^flower\.[a-zA-Z]+,`).FindAllString(text, -1) {
		if !slices.Contains(keys, strings.TrimSuffix(key, ",")) {
			t.Errorf("the page has %s, which is no setting", key)
		}
	}
}

func TestManualNamesExitCodesAndKeys(t *testing.T) {
	status := "\n" + chapter("EXIT STATUS")
	for _, code := range []string{"0", "1", "2", "3", "75", "128", "129", "130"} {
		if !strings.Contains(status, "\n.TP\n"+code) {
			t.Errorf("the page lacks exit code %s", code)
		}
	}
	for _, k := range kindsShown() {
		if !strings.Contains(chapter("REFS AND TRAILERS"), string(k)) {
			t.Errorf("the page lacks kind %s", k)
		}
	}
}

// man itself finds nothing to complain about.
func TestManualIsGoodRoff(t *testing.T) {
	for _, name := range []string{"groff", "mandoc"} {
		args := map[string][]string{"groff": {"-man", "-ww", "-z"}, "mandoc": {"-T", "lint", "-W", "warning"}}[name]
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		cmd := exec.CommandContext(t.Context(), path, args...)
		cmd.Stdin = strings.NewReader(manual)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		return
	}
	t.Skip("needs groff or mandoc")
}
