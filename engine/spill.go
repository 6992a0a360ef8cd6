package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"git-flower/engine/harness"
	"git-flower/guards"
)

// observe sees what a call of any role came to and returns what the model is
// told: a long text goes to the bench and leaves a pointer, and files that are
// new on the bench are announced behind it. The session's beginning stays as it
// is, so its cache holds.
//
// Results of our own tools (dispatch, ask, goal, verdict and the like) pass as
// they are: reports have a form that keeps them short, and a session decides by
// them. What a spilled text holds stays on this machine: no record takes it along.
func (t *talk) observe(_ context.Context, c guards.Call, r harness.Result) harness.Result {
	t.walls.ran(c, r.Text)
	if t.e.bench == nil {
		return r
	}
	if text := r.Text; guards.Spills(c, text) && !t.e.bench.reads(c) {
		if file, err := t.e.bench.spill(text); err == nil {
			r.Text = guards.Pointer(c, text, file)
		} else {
			t.tell("a long result stays in the context: " + err.Error())
		}
	}
	if slices.Contains(makers[:], c.Tool) {
		r.Text = joinLines(r.Text, t.newOnBench())
	}
	return r
}

// archive puts an old result on the bench and leaves a pointer to it; see
// harness.Options.Archive.
func (t *talk) archive(c guards.Call, text string) string {
	if t.e.bench == nil {
		return ""
	}
	file, err := t.e.bench.spill(text)
	if err != nil {
		t.tell("a long result stays in the context: " + err.Error())
		return ""
	}
	return guards.Pointer(c, text, file)
}

// makers are the tools after which the bench may hold new files.
var makers = [...]string{"Bash", "BashOutput", "Write", "Edit", "MultiEdit", "NotebookEdit"}

func joinLines(text, more string) string {
	if text == "" || more == "" {
		return text + more
	}
	return text + "\n\n" + more
}

// newOnBench announces what this session has not been told of.
func (t *talk) newOnBench() string {
	files, err := t.e.bench.refresh()
	if err != nil {
		t.tell(err.Error())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var fresh []benchFile
	for _, f := range files {
		if !t.toldOf[f.path] {
			fresh = append(fresh, f)
			t.toldOf[f.path] = true
		}
	}
	return announcement(t.e.bench.dir, fresh)
}

// knowBench takes what is on the bench for known to the session. For a new one
// it returns what it has to be told first.
func (t *talk) knowBench() string {
	t.toldOf = map[string]bool{}
	if t.e.bench == nil {
		return ""
	}
	files, err := t.e.bench.refresh()
	if err != nil {
		t.tell(err.Error())
	}
	for _, f := range files {
		t.toldOf[f.path] = true
	}
	return benchBlock(t.e.bench.dir, files)
}

// withFirst adds to a new session's first message what is told with it.
func (t *talk) withFirst(messages []harness.Message) []harness.Message {
	if t.first == "" || len(messages) == 0 || messages[0].Text == "" {
		return messages
	}
	messages = slices.Clone(messages)
	messages[0].Text = joinLines(messages[0].Text, t.first)
	t.first = ""
	return messages
}

// tell tells whoever watches, and no record.
func (t *talk) tell(text string) {
	ev := t.event(EventNotice)
	ev.Text = text
	t.e.emit(ev)
}

const spillFolder = "spill"

// spill keeps a text on the bench and returns its file. The file is there, whole
// and for good, when it returns: the same text is the same file. What a worker
// may have put in its place is replaced.
func (b *bench) spill(text string) (file string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		return "", fmt.Errorf("open the bench: %w", err)
	}
	defer root.Close()
	if err := root.Mkdir(spillFolder, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("make the folder '%s' of the bench: %w", spillFolder, err)
	}
	name := spillName(text)
	if !holds(root, filepath.Join(spillFolder, name), text) {
		if err := replaceIn(root, spillFolder, name, []byte(text)); err != nil {
			return "", fmt.Errorf("keep a long result as '%s': %w", name, err)
		}
	}
	return filepath.Join(b.dir, spillFolder, name), nil
}

// spillName is the file that a text is kept in.
func spillName(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x.txt", sum[:8])
}

// holds tells whether a file is a regular one with exactly this text.
func holds(root *os.Root, name, text string) bool {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return false
	}
	f, err := root.OpenFile(name, os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(len(text))+1))
	return err == nil && bytes.Equal(data, []byte(text))
}

// reads tells whether a call reads a spilled file.
func (b *bench) reads(c guards.Call) bool {
	dir := filepath.Join(b.dir, spillFolder)
	return guards.Spill{Dir: dir, Places: places{}, Known: func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name+".txt"))
		return err == nil
	}}.Reads(c)
}
