package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// makeGitDir writes the worker's own git directory anew, at a commit, with the
// user's objects behind its own, the user's branches and tags as they stand,
// and the user's configuration without what would run on its own.
func (p *Pool) makeGitDir(ctx context.Context, s *slot, head string) error {
	if err := p.discard(s.git()); err != nil {
		return err
	}
	for _, dir := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"} {
		if err := os.MkdirAll(filepath.Join(s.git(), filepath.FromSlash(dir)), 0o700); err != nil {
			return err
		}
	}
	files, err := p.gitFiles(ctx, s, head)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.git(), filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return errors.Join(p.copyPlainFiles(s), p.copyWorkerIndex(s), linkTree(s))
}

// gitFiles are the files of a worker's git directory that we write.
func (p *Pool) gitFiles(ctx context.Context, s *slot, head string) (map[string]string, error) {
	f, err := p.facts(ctx)
	if err != nil {
		return nil, err
	}
	config, err := p.workerConfig(ctx, s)
	if err != nil {
		return nil, err
	}
	lent, err := p.lendLarge(f, s)
	if err != nil {
		return nil, err
	}
	refs, err := p.objects().Read(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags", "refs/remotes")
	files := map[string]string{
		"HEAD":                    head + "\n",
		"config":                  config,
		"packed-refs":             string(refs),
		"objects/info/alternates": quotePath(filepath.Join(p.c.CommonDir, "objects")) + "\n" + lent,
	}
	if s.cone.rules != "" {
		files["info/sparse-checkout"] = s.cone.rules
	}
	return files, err
}

// copyPlainFiles copies the files of the user's git directory that change what
// git sees and that no configuration names.
func (p *Pool) copyPlainFiles(s *slot) error {
	for _, name := range []string{"info/exclude", "info/attributes", "shallow"} {
		from := filepath.Join(p.c.CommonDir, filepath.FromSlash(name))
		err := copyFile(from, filepath.Join(s.git(), filepath.FromSlash(name)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// copyWorkerIndex gives the worker an index of its own that already knows the
// files' times.
func (p *Pool) copyWorkerIndex(s *slot) error {
	copied := filepath.Join(s.dir, indexCopy+"worker")
	if err := copyFile(s.index(), copied); err != nil {
		return err
	}
	return os.Rename(copied, filepath.Join(s.git(), "index"))
}

// linkTree writes the file by which git finds its directory from the tree.
func linkTree(s *slot) error { return writeFile(filepath.Join(s.tree(), ".git"), []byte(gitLink)) }

const gitLink = "gitdir: ../git\n"

// workerConfig is the configuration of a worker's git directory. What stands
// after the include counts more than what the user's files say.
func (p *Pool) workerConfig(ctx context.Context, s *slot) (string, error) {
	f, err := p.facts(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = " + f.format + "\n")
	if remote := f.config["extensions.partialclone"]; remote != "" {
		fmt.Fprintf(&b, "\tpartialclone = %s\n", quoteValue(remote))
	}
	fmt.Fprintf(&b, "[include]\n\tpath = %s\n", quoteValue(filepath.Join(p.c.CommonDir, "config")))
	if f.config["extensions.worktreeconfig"] == "true" {
		fmt.Fprintf(&b, "[include]\n\tpath = %s\n", quoteValue(filepath.Join(p.c.GitDir, "config.worktree")))
	}
	b.WriteString(workerOverrides)
	b.WriteString(p.lfsConfig(f, s))
	for _, setting := range s.cone.config() {
		key, value, _ := strings.Cut(strings.TrimPrefix(setting, "core."), "=")
		fmt.Fprintf(&b, "[core]\n\t%s = %s\n", key, value)
	}
	name, mail, _ := strings.Cut(strings.TrimSuffix(f.ident, ">"), " <")
	fmt.Fprintf(&b, "[user]\n\tname = %s\n\temail = %s\n", quoteValue(name), quoteValue(mail))
	return b.String(), nil
}

// A worker's commits are not signed (a passphrase would be asked for), nothing
// runs by itself, and the tree is where we put it.
const workerOverrides = `[core]
	bare = false
	worktree = ../tree
	hooksPath = ../git/hooks
	fsmonitor = false
	splitIndex = false
	untrackedCache = false
	logAllRefUpdates = true
[gc]
	auto = 0
[maintenance]
	auto = false
[commit]
	gpgSign = false
[tag]
	gpgSign = false
`

// quoteValue writes a value of a configuration file.
func quoteValue(value string) string {
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)
	return `"` + r.Replace(value) + `"`
}
