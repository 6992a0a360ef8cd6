package main

import (
	"context"
	"fmt"
	"strings"
)

// manyRuns makes a repository with n runs: one of priorCount records, and others
// of two, a request and a 2 KB report, through one 'git fast-import'. They are
// copies of a real one with an id, a name and a date of their own; each is whole.
func manyRuns(ctx context.Context, b *bench, n int) (string, error) {
	dir, err := b.repository(ctx, fmt.Sprintf("list-%d", n))
	if err != nil {
		return "", err
	}
	if err := fillRun(ctx, dir, priorCount); err != nil {
		return "", err
	}
	git := program{name: "git", dir: dir}
	real, err := readPattern(ctx, b, git)
	if err != nil {
		return "", err
	}
	var stream strings.Builder
	for i := 1; i < n; i++ {
		real.print(&stream, i)
	}
	if _, err := git.read(ctx, stream.String(), "fast-import", "--quiet"); err != nil {
		return "", err
	}
	if _, err := git.read(ctx, "", "pack-refs", "--all"); err != nil {
		return "", err
	}
	_, err = program{name: b.flower, dir: dir}.read(ctx, "", "fsck", copyName(n-1))
	return dir, err
}

func copyName(i int) string { return fmt.Sprintf("see-to-the-list-%05d", i) }

// A pattern is a short real run, taken apart.
type pattern struct {
	id, base string
	commits  []patternCommit
}

type patternCommit struct{ tree, message string }

// readPattern makes the run in a repository of its own and brings it into git's.
func readPattern(ctx context.Context, b *bench, git program) (pattern, error) {
	dir, err := b.repository(ctx, "pattern-of-"+strings.TrimPrefix(git.dir, b.dir+"/"))
	if err != nil {
		return pattern{}, err
	}
	if err := fillRun(ctx, dir, 1); err != nil {
		return pattern{}, err
	}
	a, err := openAppender(ctx, dir, true)
	if err != nil {
		return pattern{}, err
	}
	defer a.close()
	if err := a.append(ctx, 1); err != nil {
		return pattern{}, err
	}
	p := pattern{id: a.run.ID(), base: string(a.run.History().Base)}
	if _, err := git.read(ctx, "", "fetch", "-q", dir, runRef, "main"); err != nil {
		return pattern{}, err
	}
	for _, rev := range []string{runRef + "~1", runRef} {
		raw, err := program{name: "git", dir: dir}.read(ctx, "", "cat-file", "commit", rev)
		if err != nil {
			return pattern{}, err
		}
		head, message, _ := strings.Cut(raw, "\n\n")
		p.commits = append(p.commits, patternCommit{tree: strings.Fields(head)[1], message: message})
	}
	return p, nil
}

// print writes the ith copy for fast-import.
func (p pattern) print(out *strings.Builder, i int) {
	const who = "Ada <ada@example.com>"
	for k, c := range p.commits {
		message := strings.ReplaceAll(c.message, p.id, fmt.Sprintf("abc%013x", i))
		date := 1_700_000_000 + 60*i + k
		fmt.Fprintf(out, "commit refs/flower/run/%s\nauthor %s %d +0000\ncommitter %s %d +0000\ndata %d\n%s\nM 040000 %s \n\n",
			copyName(i), who, date, who, date, len(message), message, c.tree)
	}
	fmt.Fprintf(out, "reset refs/flower/base/%s\nfrom %s\n\n", copyName(i), p.base)
}
