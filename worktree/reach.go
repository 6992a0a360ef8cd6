package worktree

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// maxReach is how many files are added to a cone one by one; for more, the tree
// is made whole.
const maxReach = 1000

// reach widens a slot's cone by the files that differ between two commits: a
// worker may have changed what was outside, and must find it so again.
func (p *Pool) reach(ctx context.Context, s *slot, from, to string) error {
	if s.cone.rules == "" {
		return nil
	}
	out, err := p.objects().Read(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to)
	if err != nil || len(out) == 0 {
		return err
	}
	outside := map[string]bool{}
	for _, commit := range []string{from, to} {
		if err := p.markOutside(ctx, s, commit, outside); err != nil {
			return err
		}
	}
	names := slices.DeleteFunc(splitZ(out), func(name string) bool { return !outside[name] })
	if len(names) == 0 {
		return nil
	}
	return p.aim(s, s.cone.with(names))
}

// markOutside adds the files of a commit that are outside of a slot's cone.
func (p *Pool) markOutside(ctx context.Context, s *slot, commit string, outside map[string]bool) (err error) {
	index, err := s.copyIndex(true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeIndex(index)) }()
	g := p.trusted(s, index).In(p.emptyDir()).Env("GIT_WORK_TREE=" + p.emptyDir())
	if _, err := g.Write(ctx, "read-tree", commit); err != nil {
		return err
	}
	if err := p.mask(ctx, s, index, commit); err != nil {
		return err
	}
	out, err := g.Read(ctx, "ls-files", "-z", "-t")
	for _, entry := range splitZ(out) {
		if name, skipped := strings.CutPrefix(entry, "S "); skipped {
			outside[name] = true
		}
	}
	return err
}

// with is a cone with more files, by name.
func (c cone) with(names []string) cone {
	wider := cone{rules: strings.TrimRight(c.rules, "\n") + "\n", folders: "false"}
	for _, name := range names {
		if strings.Contains(name, "\n") || len(names) > maxReach {
			wider.rules = "/*\n"
			return wider
		}
		wider.rules += "/" + escapeRule.Replace(name) + "\n"
	}
	return wider
}

// escapeRule writes a name so that it stands for nothing else.
var escapeRule = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, ` `, `\ `)
