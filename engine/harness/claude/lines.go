package claude

import (
	"bufio"
	"errors"
)

// read takes the output line by line to its end.
func (c *conn) read() {
	defer close(c.over)
	r := bufio.NewReaderSize(c.peer, 1<<16)
	for {
		raw, err := readLine(r)
		if l, ok := parseLine(raw); ok {
			c.take(l)
		}
		if err != nil {
			return
		}
	}
}

// readLine reads a line of at most maxLine bytes; of a longer one nothing is
// kept. The last line counts only when it was ended.
func readLine(r *bufio.Reader) ([]byte, error) {
	var all []byte
	for over := false; ; {
		part, err := r.ReadSlice('\n')
		over = over || len(all)+len(part) > maxLine
		if over {
			all = nil
		} else {
			all = append(all, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, err
		default:
			return all, nil
		}
	}
}

func (c *conn) take(l line) {
	switch l.Type {
	case "transcript_mirror":
		c.mirror(l.FilePath, l.Entries)
	case "control_request":
		c.serve(l)
	case "control_cancel_request":
		c.mu.Lock()
		cancel := c.serving[l.RequestID]
		c.mu.Unlock()
		if cancel != nil {
			cancel()
		}
	case "control_response":
		c.mu.Lock()
		reply := c.replies[l.Response.RequestID]
		delete(c.replies, l.Response.RequestID)
		c.mu.Unlock()
		if reply != nil {
			reply <- l.Response
		}
	default:
		c.mu.Lock()
		c.lines = append(c.lines, l)
		c.mu.Unlock()
		c.nudge()
	}
}

func (c *conn) nudge() {
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// next takes the oldest line that was not taken.
func (c *conn) next() (line, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lines) == 0 {
		return line{}, false
	}
	l := c.lines[0]
	c.lines = c.lines[1:]
	return l, true
}

// pending says whether there are lines that were not taken.
func (c *conn) pending() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.lines) > 0
}
