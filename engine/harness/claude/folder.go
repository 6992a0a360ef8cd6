package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"
)

// The CLI keeps a session in its configuration folder:
//
//	projects/<key of the directory>/<session>.jsonl
//	projects/<key of the directory>/<session>/subagents/agent-<id>.jsonl and .meta.json
//
// A session that is written there before it starts can be resumed. It is found
// from any directory; the key only decides in which folder the CLI goes on.

// writeTranscript writes a session's entries to where the CLI resumes it from.
// A file that is already there is an error.
func writeTranscript(config, cwd, session string, entries []json.RawMessage) error {
	dir, err := projectDir(config, cwd)
	if err == nil && !isName(session) {
		err = fmt.Errorf("'%s' is no name of a session", session)
	}
	if err == nil {
		err = writeNew(filepath.Join(dir, session+".jsonl"), jsonLines(entries))
	}
	if err != nil {
		return fmt.Errorf("write transcript of session '%s': %w", session, err)
	}
	return nil
}

// writeAgentTranscript writes the entries of a sub-agent of a session, by
// the name that mirrorKey gives it. Those of type agent_metadata become its
// description; the newest one counts.
func writeAgentTranscript(config, cwd, session, agent string, entries []json.RawMessage) error {
	dir, err := projectDir(config, cwd)
	if err == nil && !(isName(session) && isName(agent)) {
		err = errors.New("that is no name of one")
	}
	if err == nil {
		base := filepath.Join(dir, session, "subagents", agent)
		meta, rest := splitMeta(entries)
		if meta != nil {
			err = writeNew(base+".meta.json", meta)
		}
		err = errors.Join(err, writeNew(base+".jsonl", jsonLines(rest)))
	}
	if err != nil {
		return fmt.Errorf("write transcript of sub-agent '%s' of session '%s': %w", agent, session, err)
	}
	return nil
}

// splitMeta takes the description of a sub-agent out of its entries; nil: there is none.
func splitMeta(entries []json.RawMessage) (meta []byte, rest []json.RawMessage) {
	for _, raw := range entries {
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil || string(fields["type"]) != `"agent_metadata"` {
			rest = append(rest, raw)
			continue
		}
		delete(fields, "type")
		meta, _ = json.Marshal(fields) // parts of valid JSON
	}
	return meta, rest
}

// jsonLines puts each entry on a line of its own.
func jsonLines(entries []json.RawMessage) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		if bytes.ContainsAny(e, "\r\n") {
			if err := json.Compact(&b, e); err != nil {
				b.Write(bytes.Join(bytes.Fields(e), []byte(" "))) // no JSON: the CLI passes over it
			}
		} else {
			b.Write(e)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// writeNew writes a file that only we can read, whole or not at all. Nothing is
// synced: the store has it all.
func writeNew(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("'%s': %w", path, os.ErrExist)
	}
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func projectDir(config, cwd string) (string, error) {
	at, err := filepath.EvalSymlinks(cwd)
	if err != nil {
		return "", err
	}
	return filepath.Join(config, "projects", projectKey(at)), nil
}

// maxKey is how many characters of a path the CLI puts into a key.
const maxKey = 200

// projectKey is the CLI's name for a directory, given its real path: every UTF-16
// unit outside A-Z, a-z, 0-9 becomes '-'; what is too long is cut, and a hash of
// the whole path is appended. Measured with 2.1.332 on Linux, which
// leaves combining characters as they are.
func projectKey(path string) string {
	units := utf16.Encode([]rune(path))
	key := make([]byte, len(units))
	for i, u := range units {
		key[i] = '-'
		if u < 0x80 && isAlphanumeric(byte(u)) {
			key[i] = byte(u)
		}
	}
	if len(key) <= maxKey {
		return string(key)
	}
	return string(key[:maxKey]) + "-" + strconv.FormatInt(pathHash(units), 36)
}

// pathHash is what Java calls the hash of a string, without its sign.
func pathHash(units []uint16) int64 {
	var h int32
	for _, u := range units {
		h = h*31 + int32(u)
	}
	return max(int64(h), -int64(h))
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// isName says whether s can be a file's name: letters, digits, '-' and '_'.
func isName(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && s[i] != '-' && s[i] != '_' {
			return false
		}
	}
	return s != ""
}

// mirrorKey tells which transcript the CLI's file is: a session's own, or that of
// one of its sub-agents, "agent-<id>". False: neither.
func mirrorKey(config, path string) (session, agent string, ok bool) {
	inside, err := filepath.Rel(filepath.Join(config, "projects"), path)
	if err != nil {
		return "", "", false
	}
	parts := strings.Split(filepath.ToSlash(inside), "/")
	name, found := strings.CutSuffix(parts[len(parts)-1], ".jsonl")
	if !found || !isName(name) || parts[0] == ".." {
		return "", "", false
	}
	switch {
	case len(parts) == 2:
		return name, "", true
	case len(parts) >= 4 && parts[2] == "subagents" && isName(parts[1]):
		return parts[1], name, true
	}
	return "", "", false
}
