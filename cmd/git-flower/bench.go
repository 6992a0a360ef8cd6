package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"git-flower/gitstate"
)

func (w *wake) benchDir() string {
	return filepath.Join(w.store.Layout().State, "bench", w.run.Name())
}

// makeBench creates the folders that all workers of a run share.
func makeBench(dir string) (string, error) {
	for _, name := range []string{"scripts", "artifacts", "notes"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			return "", fmt.Errorf("create the bench: %w", err)
		}
	}
	return dir, nil
}

// A benchBlob is a file of the bench in the newest record.
type benchBlob struct {
	path string // in the record's tree
	id   string
	data []byte
}

// place is where it lies below the bench.
func (b benchBlob) place() string { return strings.TrimPrefix(b.path, "bench/") }

// restoreBench puts what the newest record holds of the bench back on it: those
// that are missing here, and those of which the bench has what an older record
// held. What was changed here since stays, and comes with the next record.
// Scripts are code: one that came from elsewhere waits until it is accepted.
func (w *wake) restoreBench(ctx context.Context) error {
	root, err := w.openBench()
	if err != nil {
		return err
	}
	defer root.Close()
	ours, foreign, err := w.missingOnBench(ctx, root)
	if err != nil {
		return err
	}
	for _, b := range ours {
		if err := putOnBench(root, b); err != nil {
			return err
		}
	}
	accepted, err := w.acceptScripts(ctx, root, foreign)
	if n := len(ours) + accepted; n > 0 && err == nil {
		say(w.env.Err, "note", fmt.Sprintf("%s of the bench came back from the records", plural(n, "file")))
	}
	return err
}

func (w *wake) openBench() (*os.Root, error) {
	dir, err := makeBench(w.benchDir())
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// missingOnBench are the files of the newest record that would come back: those that
// may unasked, and programs from elsewhere that nobody has accepted here.
func (w *wake) missingOnBench(ctx context.Context, root *os.Root) (ours, foreign []benchBlob, err error) {
	blobs, err := w.recordedBench(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, b := range blobs {
		if wanted, err := w.outdated(ctx, root, b); err != nil {
			return nil, nil, err
		} else if !wanted {
			continue
		}
		if known, err := w.isOurs(ctx, b); err != nil {
			return nil, nil, err
		} else if known {
			ours = append(ours, b)
		} else {
			foreign = append(foreign, b)
		}
	}
	return ours, foreign, nil
}

// foreignScripts are the programs from elsewhere that would come back.
func (w *wake) foreignScripts(ctx context.Context) ([]benchBlob, error) {
	root, err := w.openBench()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	_, foreign, err := w.missingOnBench(ctx, root)
	return foreign, err
}

// held are those of the programs that a record holds as they are.
func (w *wake) held(ctx context.Context, record gitstate.ObjectID, scripts []benchBlob) (held []benchBlob) {
	for _, s := range scripts {
		if data, err := w.store.Show(ctx, string(record), s.path); err == nil && bytes.Equal(data, s.data) {
			held = append(held, s)
		}
	}
	return held
}

// inFull shows programs for a person to judge.
func inFull(scripts []benchBlob) string {
	var b strings.Builder
	b.WriteString("\nthese scripts of the bench came from elsewhere; workers would run them:\n")
	for _, s := range scripts {
		fmt.Fprintf(&b, "\n== %s\n%s\n", oneLine(s.place()), strings.TrimRight(sanitise(string(s.data)), "\n"))
	}
	return b.String()
}

// recordedBench lists what the newest record holds of the bench.
func (w *wake) recordedBench(ctx context.Context) ([]benchBlob, error) {
	tip := string(w.run.Tip())
	out, err := w.store.Git().Read(ctx, "ls-tree", "-r", "-z", "--end-of-options", tip, "bench/scripts/", "bench/notes/", "bench/artifacts/")
	if err != nil {
		return nil, err
	}
	var blobs []benchBlob
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		about, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) != 3 || fields[1] != "blob" {
			continue
		}
		data, err := w.store.Show(ctx, tip, name)
		if err != nil {
			return nil, err
		}
		if gitstate.CheckFile(name, data) == nil { // what fsck would complain of is not written out
			blobs = append(blobs, benchBlob{name, fields[2], data})
		}
	}
	return blobs, nil
}

// outdated reports whether the bench lacks a file, or has an older record's.
func (w *wake) outdated(ctx context.Context, root *os.Root, b benchBlob) (bool, error) {
	name := filepath.FromSlash(b.place())
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > gitstate.MaxFile {
		return false, nil // something else of a worker's lies there
	}
	here, err := root.ReadFile(name)
	if err != nil || bytes.Equal(here, b.data) {
		return false, nil
	}
	return w.wasRecorded(ctx, b.path, here)
}

// wasRecorded reports whether a record held this of a file.
func (w *wake) wasRecorded(ctx context.Context, name string, data []byte) (bool, error) {
	out, err := w.store.Git().Read(ctx, "--no-literal-pathspecs", "log", "--no-show-signature", "--no-color", "--format=%H", "-m", "--first-parent",
		string(w.run.Tip()), "--", ":(top,literal)"+name)
	if err != nil {
		return false, err
	}
	for commit := range strings.FieldsSeq(string(out)) {
		if old, err := w.store.Show(ctx, commit, name); err == nil && bytes.Equal(old, data) {
			return true, nil
		}
	}
	return false, nil
}

// isOurs reports whether a file may come back unasked: notes and artifacts that are
// no programs always, others when this repository recorded them or a person
// accepted them here.
func (w *wake) isOurs(ctx context.Context, b benchBlob) (bool, error) {
	if !strings.HasPrefix(b.path, "bench/scripts/") && !bytes.HasPrefix(b.data, []byte("#!")) {
		return true, nil
	}
	if trusted, err := isTrusted(w.trusted(), b.id); trusted || err != nil {
		return trusted, err
	}
	commit, err := w.bringer(ctx, b.path)
	if err != nil {
		return false, err
	}
	return w.recordedHere(ctx, commit)
}

// acceptScripts asks for scripts that came from elsewhere and puts those that
// are accepted on the bench. The run goes on without the others.
func (w *wake) acceptScripts(ctx context.Context, root *os.Root, scripts []benchBlob) (n int, err error) {
	if len(scripts) == 0 {
		return 0, nil
	}
	accepted, err := w.trustScripts(ctx, scripts)
	if err != nil {
		return 0, err
	}
	for _, s := range accepted {
		if err := errors.Join(putOnBench(root, s), remember(w.trusted(), s.id)); err != nil {
			return n, err
		}
		n++
	}
	if left := len(scripts) - n; left > 0 {
		tip := w.run.Tip().Short()
		say(w.env.Err, "note", fmt.Sprintf(`%s of the bench left out, from elsewhere; "git flower resume --trust %s %s" takes those of that record`,
			plural(left, "program"), tip, w.run.Name()))
	}
	return n, nil
}

// trustScripts are the scripts that a person accepts: those of the record that
// --trust names, or what a terminal says yes to after all were shown in full.
func (w *wake) trustScripts(ctx context.Context, scripts []benchBlob) ([]benchBlob, error) {
	if w.trust != "" {
		given := w.named(ctx)
		if given == "" {
			return nil, ctx.Err()
		}
		return w.held(ctx, given, scripts), nil
	}
	if w.person != here {
		return nil, nil
	}
	if err := write(w.env.Err, inFull(scripts)); err != nil {
		return nil, err
	}
	line, err := w.ask(ctx, "put them on the bench? [y/N] ")
	if said := strings.ToLower(strings.TrimSpace(line)); err != nil || said != "y" && said != "yes" {
		return nil, err
	}
	return scripts, nil
}

// putOnBench writes a file whole or not at all.
func putOnBench(root *os.Root, b benchBlob) error {
	name, mode := b.place(), fs.FileMode(0o644)
	if bytes.HasPrefix(b.data, []byte("#!")) {
		mode = 0o755
	}
	if err := root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
		return err
	}
	temp := filepath.FromSlash(path.Join(path.Dir(name), "."+path.Base(name)+".new"))
	if err := root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b.data)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return root.Rename(temp, filepath.FromSlash(name))
}
