package messages

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"git-flower/engine/harness"
)

const writeAbout = `Writes a whole file, in one step; missing directories are made. An existing file must have been read in this session and is replaced.
Prefer Edit for changes to an existing file.`

const writeSchema = `{"type":"object","properties":{` +
	`"file_path":{"type":"string","description":"the file, absolute or relative to the working directory"},` +
	`"content":{"type":"string","description":"the whole new content"}},` +
	`"required":["file_path","content"]}`

type writeInput struct {
	Path    string  `json:"file_path"`
	Content *string `json:"content"`
}

func (f *files) write(_ context.Context, in writeInput) (harness.Result, error) {
	if in.Content == nil {
		return harness.Result{}, errors.New("content is missing; nothing was written")
	}
	p, err := f.forWriting(in.Path)
	if err != nil {
		return harness.Result{}, err
	}
	folder, err := p.folder(true)
	if err != nil {
		return harness.Result{}, err
	}
	defer folder.Close()
	name := filepath.Base(p.rel)
	mode, verb := fs.FileMode(0o644), "created"
	if _, err := folder.Lstat(name); err == nil {
		old, info, err := whole(folder, name, p.path)
		if err != nil {
			return harness.Result{}, err
		}
		if err := f.known(p.path, sha256.Sum256(old)); err != nil {
			return harness.Result{}, err
		}
		mode, verb = info.Mode(), "replaced"
	}
	if err := f.replace(folder, name, p.path, []byte(*in.Content), mode); err != nil {
		return harness.Result{}, err
	}
	return text(fmt.Sprintf("%s '%s' (%d bytes)", verb, p.path, len(*in.Content)))
}

const editAbout = `Replaces a text in a file by another. old_string must occur exactly once, with all its blanks, unless replace_all is set.
The file must have been read in this session and not have changed since. Line numbers that Read shows are not part of the text.`

const editSchema = `{"type":"object","properties":{` +
	`"file_path":{"type":"string","description":"the file, absolute or relative to the working directory"},` +
	`"old_string":{"type":"string","description":"the text to replace, exactly"},` +
	`"new_string":{"type":"string","description":"the text to put there"},` +
	`"replace_all":{"type":"boolean","description":"replace every occurrence"}},` +
	`"required":["file_path","old_string","new_string"]}`

type editInput struct {
	Path string  `json:"file_path"`
	Old  string  `json:"old_string"`
	New  *string `json:"new_string"`
	All  bool    `json:"replace_all"`
}

func (f *files) edit(_ context.Context, in editInput) (harness.Result, error) {
	switch {
	case in.New == nil:
		return harness.Result{}, errors.New("new_string is missing; nothing was changed")
	case in.Old == "":
		return harness.Result{}, errors.New("old_string is empty; use Write for a new file")
	case in.Old == *in.New:
		return harness.Result{}, errors.New("old_string and new_string are the same")
	}
	p, err := f.forWriting(in.Path)
	if err != nil {
		return harness.Result{}, err
	}
	folder, err := p.folder(false)
	if err != nil {
		return harness.Result{}, err
	}
	defer folder.Close()
	name := filepath.Base(p.rel)
	data, info, err := whole(folder, name, p.path)
	if err != nil {
		return harness.Result{}, err
	}
	if err := f.known(p.path, sha256.Sum256(data)); err != nil {
		return harness.Result{}, err
	}
	changed, n, err := substitute(data, in.Old, *in.New, in.All)
	if err != nil {
		return harness.Result{}, fmt.Errorf("'%s': %w", p.path, err)
	}
	if err := f.replace(folder, name, p.path, changed, info.Mode()); err != nil {
		return harness.Result{}, err
	}
	return text(fmt.Sprintf("changed '%s' in %d places", p.path, n))
}

// substitute replaces text in data. Read shows no carriage returns, so a text
// of several lines that is not there as written is looked for with them; only
// the bytes of the occurrence change.
func substitute(data []byte, old, new string, all bool) ([]byte, int, error) {
	n := bytes.Count(data, []byte(old))
	if n == 0 && strings.Contains(old, "\n") && !strings.Contains(old, "\r") {
		old, new = strings.ReplaceAll(old, "\n", "\r\n"), strings.ReplaceAll(new, "\n", "\r\n")
		n = bytes.Count(data, []byte(old))
	}
	switch {
	case n == 0:
		return nil, 0, errors.New("old_string is not in the file; compare blanks and line ends with what Read shows")
	case n > 1 && !all:
		return nil, 0, fmt.Errorf("old_string is in the file %d times; give more of its surroundings, or set replace_all", n)
	}
	return bytes.ReplaceAll(data, []byte(old), []byte(new)), n, nil
}
