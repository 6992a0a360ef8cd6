package worktree

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"git-flower/gitstate/gitcmd"
)

// A CommitMessage is what a commit of the engine says. It may come from a
// model: control characters and the like are dropped, the subject becomes one
// line.
type CommitMessage struct {
	Subject  string
	Body     string
	Trailers []string // "Key: value"
}

func (m CommitMessage) text() (string, error) {
	subject := strings.Join(strings.Fields(plain(m.Subject)), " ")
	if subject == "" {
		subject = "work"
	}
	text := subject + "\n"
	if body := strings.Trim(plain(m.Body), "\n"); body != "" {
		text += "\n" + body + "\n"
	}
	for i, t := range m.Trailers {
		key, value, ok := strings.Cut(t, ": ")
		if !ok || key == "" || strings.Trim(key, trailerKey) != "" || strings.ContainsAny(value, "\r\n\x00") {
			return "", fmt.Errorf("'%s' is no trailer", t)
		}
		if i == 0 {
			text += "\n"
		}
		text += t + "\n"
	}
	return text, nil
}

const trailerKey = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"

// plain drops what does not belong into a commit: control characters but tab
// and newline, characters that change the direction of writing, bad UTF-8,
// blanks at the end of lines.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	all := strings.Split(text, "\n")
	for i, line := range all {
		all[i] = strings.TrimRight(line, " \t")
	}
	return strings.Join(all, "\n")
}

// writeCommit makes a commit object with git. It is printed here and not by
// 'commit-tree', which adds a header under some configurations.
func (p *Pool) writeCommit(ctx context.Context, git gitcmd.Git, tree, message string, parents ...string) (string, error) {
	f, err := p.facts(ctx)
	if err != nil {
		return "", err
	}
	now := p.c.Now()
	who := fmt.Sprintf("%s %d %s", f.ident, now.Unix(), now.Format("-0700"))
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, parent := range parents {
		fmt.Fprintf(&b, "parent %s\n", parent)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", who, who, message)
	out, err := git.WriteIn(ctx, strings.NewReader(b.String()), "hash-object", "-t", "commit", "-w", "--stdin")
	return strings.TrimSpace(string(out)), err
}

// Diffstat is what changed between two commits, as 'git diff --stat' shows it
// at 80 columns.
func (p *Pool) Diffstat(ctx context.Context, from, to string) (string, error) {
	out, err := p.objects().Read(ctx, "diff", "--stat=80", "--no-color", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=dirty", "--end-of-options", from, to, "--")
	if err != nil {
		return "", fmt.Errorf("cannot compare '%s' with '%s': %w", from, to, err)
	}
	return string(out), nil
}
