package messages

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"git-flower/engine/harness"
)

// Limits of what one Read shows.
const (
	readLines   = 2000
	readLine    = 2000    // characters of one line
	readText    = 200_000 // bytes in all
	maxImage    = 3_750_000
	sniffLength = 8000 // bytes looked at for NUL
)

const readAbout = `Reads a file. The result has numbered lines, starting at 1; the number and the tab after it are not part of the file.
Shows 2000 lines from the beginning unless offset and limit say otherwise; longer lines are cut. Pictures (png, jpg, gif, webp) are shown as pictures.
A file must have been read before Edit or Write may change it.`

const readSchema = `{"type":"object","properties":{` +
	`"file_path":{"type":"string","description":"the file, absolute or relative to the working directory"},` +
	`"offset":{"type":"integer","description":"first line to show, from 1"},` +
	`"limit":{"type":"integer","description":"how many lines to show"}},` +
	`"required":["file_path"]}`

type readInput struct {
	Path   string `json:"file_path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

func (f *files) read(ctx context.Context, in readInput) (harness.Result, error) {
	p, err := f.forReading(in.Path)
	if err != nil {
		return harness.Result{}, err
	}
	path := p.path
	file, info, err := p.regular()
	if err != nil {
		return harness.Result{}, err
	}
	defer file.Close()
	begin, err := bufio.NewReaderSize(file, sniffLength).Peek(sniffLength)
	if err != nil && !errors.Is(err, io.EOF) {
		return harness.Result{}, plain(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return harness.Result{}, plain(err)
	}
	if kind := pictureType(begin); kind != "" {
		return f.readImage(file, path, kind, info.Size())
	}
	if bytes.IndexByte(begin, 0) >= 0 {
		return harness.Result{}, fmt.Errorf("'%s' is a binary file of %d bytes; it cannot be shown as text", path, info.Size())
	}
	if info.Size() == 0 {
		f.saw(path, sha256.Sum256(nil))
		return text("(the file is empty)")
	}
	return f.readLines(ctx, file, path, in)
}

// pictureType is the media type of a picture the API takes, else empty.
func pictureType(begin []byte) string {
	switch kind := http.DetectContentType(begin); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return kind
	}
	return ""
}

func (f *files) readImage(file *os.File, path, kind string, size int64) (harness.Result, error) {
	if size > maxImage {
		return harness.Result{}, fmt.Errorf("'%s' is a picture of %d bytes; at most %d can be shown", path, size, maxImage)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxImage))
	if err != nil {
		return harness.Result{}, plain(err)
	}
	if err := checkPicture(kind, data); err != nil {
		return harness.Result{}, fmt.Errorf("'%s' is not shown: %w", path, err)
	}
	f.saw(path, sha256.Sum256(data))
	return harness.Result{Image: &harness.Image{MediaType: kind, Data: data}}, nil
}

// readLines shows lines while it hashes the whole file, so that a file read in
// parts counts as read.
func (f *files) readLines(ctx context.Context, file *os.File, path string, in readInput) (harness.Result, error) {
	first, limit := max(1, in.Offset), in.Limit
	if limit <= 0 {
		limit = readLines
	}
	hash := sha256.New()
	lines := bufio.NewReaderSize(io.TeeReader(file, hash), 64<<10)
	var out strings.Builder
	n, shown := 0, 0
	for ctx.Err() == nil {
		line, more, err := nextLine(lines, readLine*utf8.UTFMax)
		if err != nil {
			return harness.Result{}, plain(err)
		}
		if !more {
			break
		}
		n++
		if n >= first && shown < limit && out.Len() < readText {
			shown++
			fmt.Fprintf(&out, "%6d\t%s\n", n, display(line, n == 1))
		}
	}
	if err := ctx.Err(); err != nil {
		return harness.Result{}, err
	}
	f.saw(path, digest(hash.Sum(nil)))
	switch rest := n - (first - 1) - shown; {
	case shown == 0:
		return text(fmt.Sprintf("(the file has only %d lines)", n))
	case rest > 0:
		fmt.Fprintf(&out, "(lines %d to %d of %d; go on with offset %d)\n", first, first+shown-1, n, first+shown)
	}
	return text(out.String())
}

// nextLine reads one line and keeps at most limit bytes of it.
func nextLine(r *bufio.Reader, limit int) (line []byte, more bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		more = more || len(part) > 0
		if room := limit - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return line, more, nil
		default:
			return line, more, err
		}
	}
}

// display is a line without its end and a byte order mark, cut when very long.
func display(line []byte, first bool) string {
	if first {
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	s := strings.ToValidUTF8(strings.TrimRight(string(line), "\r\n"), "\uFFFD")
	if utf8.RuneCountInString(s) > readLine {
		s = string([]rune(s)[:readLine]) + "… (line cut)"
	}
	return s
}
