package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"git-flower/engine/governing"
	"git-flower/gitstate/document"
	"git-flower/worktree"
)

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
	run, err := governing.Read(commands, func(paths []string) (map[string]worktree.File, error) {
		return tr.e.deps.Joins.Files(ctx, base, paths)
	})
	if err != nil {
		return nil, err
	}
	found := map[string][]governing.Hit{}
	var names []string
	for _, name := range changed {
		if hits := run.Governed(name); hits != nil && !alike[name] {
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
		i := slices.IndexFunc(found[name], func(h governing.Hit) bool { return run.Counts(h, name, before, after) })
		if i >= 0 {
			h := found[name][i]
			all = append(all, fmt.Sprintf("%s, which decides what '%s' does", h.Shown, h.Program))
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
		as.Paths = append(as.Paths, governing.Folded(p))
	}
	all := map[string]bool{}
	for _, name := range changed {
		exact, err := protect.Among([]string{name})
		if err != nil {
			return nil, err
		}
		same, err := as.Among([]string{governing.Folded(name)})
		if err != nil {
			return nil, err
		}
		if len(exact) == 0 && len(same) > 0 {
			all[name] = true
		}
	}
	return all, nil
}
