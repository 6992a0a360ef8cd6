package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"git-flower/gitstate/document"
	"git-flower/guards"
	"git-flower/worktree"
)

// Protected paths come from the base when checks run, but what a check's command
// does also depends on files that it does not name: make takes a GNUmakefile
// before the Makefile, pytest obeys a conftest.py. Such a file is no less a change
// of the test than the test's own change, so it goes the same way: the judge is
// shown it, and without the brief's word the round is not yet. It is not taken
// from the base, since ordinary work may need it there.
//
// This is a table of names (governing.go), no proof. What it cannot tell:
//
//   - The code under test can look at who tests it, and end the process with
//     success or answer what the test wants to hear.
//   - A program that is not in the table, or reads a file that is not, reads on.
//   - A module in place of one of the language's own (random.py, a go.mod's other
//     version of a dependency) is work like any other by its name.
//   - A link that comes to stand in place of a folder brings in what is below its
//     target, whatever that is called.
//   - Which programs a command comes to run is read off its words, and off the
//     words of the scripts that they name, at the base; a name that is put together
//     when the script runs is not seen. Rather one too many is found.
//
// The judge reads the changes for these, and the person before landing.

// governing are those of the changed paths that decide what the goal's commands
// do, each with the program whose doing it is. Protected ones are left out.
func (tr *trial) governing(ctx context.Context, base string, changed []string, protect worktree.ProtectSpec) ([]string, error) {
	commands := commandsOf(tr.goal)
	if len(commands) == 0 {
		return nil, nil
	}
	alike, err := alike(changed, protect)
	if err != nil {
		return nil, err
	}
	words, err := tr.e.wordsRun(ctx, base, commands)
	if err != nil {
		return nil, err
	}
	found := map[string][]hit{}
	var names []string
	heads := heads(commands)
	for _, name := range changed {
		if hits := governs(name, words, heads); hits != nil && !alike[name] {
			found[name] = hits
			names = append(names, name)
		}
	}
	before, after, err := tr.e.versions(ctx, base, string(tr.a.Work.Meta.Code), names)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, name := range names {
		i := slices.IndexFunc(found[name], func(h hit) bool { return h.counts(before, after, name, words) })
		if i >= 0 {
			h := found[name][i]
			all = append(all, fmt.Sprintf("%s, which decides what '%s' does", h.shown, h.program))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(alike)) {
		all = append(all, name+", whose name differs from a protected path's in form only")
	}
	return slices.Compact(all), nil
}

// versions reads files as they were and as they are.
func (e *Engine) versions(ctx context.Context, base, code string, names []string) (before, after map[string]worktree.File, err error) {
	if len(names) == 0 {
		return nil, nil, nil
	}
	if before, err = e.deps.Joins.Files(ctx, base, names); err != nil {
		return nil, nil, err
	}
	after, err = e.deps.Joins.Files(ctx, code, names)
	return before, after, err
}

func commandsOf(g document.Goal) []string {
	var all []string
	for _, c := range g.Checks {
		if c.Command != "" && c.Unverifiable == "" {
			all = append(all, c.Command)
		}
	}
	return all
}

// alike are changed paths that are not protected, but have the name of a path
// that is on a file system that does not tell letter case apart.
func alike(changed []string, protect worktree.ProtectSpec) (map[string]bool, error) {
	as := worktree.ProtectSpec{}
	for _, p := range protect.Paths {
		as.Paths = append(as.Paths, foldedPath(p))
	}
	all := map[string]bool{}
	for _, name := range changed {
		exact, err := protect.Among([]string{name})
		if err != nil {
			return nil, err
		}
		same, err := as.Among([]string{foldedPath(name)})
		if err != nil {
			return nil, err
		}
		if len(exact) == 0 && len(same) > 0 {
			all[name] = true
		}
	}
	return all, nil
}

func foldedPath(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if part != "." && part != ".." && part != "**" {
			parts[i] = guards.Folded(part)
		}
	}
	return strings.Join(parts, "/")
}
