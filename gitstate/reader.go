package gitstate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"git-flower/gitstate/gitcmd"
)

// maxObject is the largest object that is read into memory, in bytes. Records
// are far smaller; anything larger was not written by this package.
const maxObject = 16 << 20

// ahead is how many requests are written before answers are read. A request is
// at most 65 bytes, so that as many fit into a pipe of 64 KiB and nobody waits
// for anybody.
const ahead = 500

// A reader reads objects through one long-lived 'git cat-file --batch', which
// starts with the first read. Replacements and grafts do not count.
type reader struct {
	git gitcmd.Git
	mu  sync.Mutex
	p   *gitcmd.Process
}

// An answer is an object that was read. Kind is "missing" when it is not there.
type answer struct {
	id   ObjectID
	kind string
	data []byte
}

// read calls f for each of the objects, in their order, until f fails.
func (r *reader) read(ctx context.Context, ids []ObjectID, f func(i int, a answer) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for from := 0; from < len(ids); from += ahead {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := ids[from:min(from+ahead, len(ids))]
		err := r.exchange(ctx, part, func(i int, a answer) error { return f(from+i, a) })
		if err != nil {
			return err
		}
	}
	return nil
}

// one reads a single object and says so if it is not there or not of that kind.
func (r *reader) one(ctx context.Context, id ObjectID, kind string) ([]byte, error) {
	var data []byte
	err := r.read(ctx, []ObjectID{id}, func(_ int, a answer) error {
		data = a.data
		return a.expect(id, kind)
	})
	return data, err
}

func (a answer) expect(id ObjectID, kind string) error {
	if a.kind == kind {
		return nil
	}
	if a.kind == "missing" {
		return corrupt(id, "the object is missing")
	}
	return corrupt(id, "a %s where a %s is expected", a.kind, kind)
}

// exchange asks for some objects and reads all answers. A process that was lost
// since the last time is replaced; what fails with a new one has failed.
func (r *reader) exchange(ctx context.Context, ids []ObjectID, f func(int, answer) error) error {
	old := r.p != nil
	first, err := r.ask(ctx, ids)
	if err != nil && old {
		first, err = r.ask(ctx, ids)
	}
	if err != nil {
		return err
	}
	refused := f(0, first)
	for i := 1; i < len(ids); i++ {
		a, err := readAnswer(r.p.Out)
		if err != nil {
			return r.fail(err)
		}
		if refused == nil {
			refused = f(i, a)
		}
	}
	return refused
}

// ask sends the requests and reads the first answer.
func (r *reader) ask(ctx context.Context, ids []ObjectID) (answer, error) {
	if r.p == nil {
		p, err := r.git.Start(context.WithoutCancel(ctx), "--no-optional-locks", "cat-file", "--batch")
		if err != nil {
			return answer{}, err
		}
		r.p = p
	}
	if _, err := io.WriteString(r.p.In, requests(ids)); err != nil {
		return answer{}, r.fail(err)
	}
	a, err := readAnswer(r.p.Out)
	if err != nil {
		return answer{}, r.fail(err)
	}
	return a, nil
}

func requests(ids []ObjectID) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(string(id) + "\n")
	}
	return b.String()
}

func (r *reader) fail(err error) error {
	p := r.p
	r.p = nil
	if closed := p.Close(); closed != nil {
		return closed
	}
	return fmt.Errorf("git cat-file: %w", err)
}

func readAnswer(in *bufio.Reader) (answer, error) {
	a, size, err := readHead(in)
	if err != nil || a.kind == "missing" {
		return a, err
	}
	if a.data, err = readObject(in, size); a.data == nil {
		a.kind = oversized(a.kind, size)
	}
	return a, err
}

// readHead reads the line before an object, or the one that says that it is missing.
func readHead(in *bufio.Reader) (a answer, size int, err error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return answer{}, 0, err
	}
	words := strings.Fields(line)
	if len(words) != 3 {
		return answer{kind: "missing"}, 0, nil
	}
	size, err = strconv.Atoi(words[2])
	if err != nil || size < 0 {
		return answer{}, 0, fmt.Errorf("unexpected line '%.80s'", line)
	}
	return answer{id: ObjectID(words[0]), kind: words[1]}, size, nil
}

func oversized(kind string, size int) string { return fmt.Sprintf("%s of %d bytes", kind, size) }

// lend reads an object of which use keeps no byte, without copying it.
func (a answer) lend(in *bufio.Reader, size int, use func(answer)) (err error) {
	if size >= in.Size() {
		if a.data, err = readObject(in, size); a.data == nil {
			a.kind = oversized(a.kind, size)
		}
		use(a)
		return err
	}
	whole, err := in.Peek(size + 1)
	if err != nil {
		return err
	}
	a.data = whole[:size]
	use(a)
	_, err = in.Discard(size + 1)
	return err
}

// readObject reads an object and the newline after it. One that is too large is
// passed over and comes back as nil.
func readObject(in *bufio.Reader, size int) ([]byte, error) {
	if size > maxObject {
		_, err := io.CopyN(io.Discard, in, int64(size)+1)
		return nil, err
	}
	data := make([]byte, size+1)
	_, err := io.ReadFull(in, data)
	return data[:size], err
}

func (r *reader) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.p == nil {
		return nil
	}
	p := r.p
	r.p = nil
	return p.Close()
}
