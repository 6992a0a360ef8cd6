package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// A login is the Claude Code CLI's own, with a subscription. It serves where there
// is no key, and only the CLI can use it.
type login struct {
	token  string // as the environment has it
	file   string // else where the CLI keeps it
	source string // for people
}

// loginFile is what the CLI keeps its login in, in its configuration folder. On
// macOS it is in the keychain instead, which we do not open.
const loginFile = ".credentials.json"

// findLogin looks where the CLI would. why says in words what is not there.
func (s credentialSearch) findLogin(now time.Time) (l *login, passed []place) {
	if token, _ := s.lookup("CLAUDE_CODE_OAUTH_TOKEN"); token != "" && strings.IndexFunc(token, unicode.IsControl) < 0 {
		return &login{token: token, source: "CLAUDE_CODE_OAUTH_TOKEN in the environment"}, nil
	}
	folder, _ := s.lookup("CLAUDE_CONFIG_DIR")
	if !filepath.IsAbs(folder) {
		folder = s.under(".claude")
	}
	file := joined(folder, loginFile)
	passed = []place{{name: "CLAUDE_CODE_OAUTH_TOKEN", why: "not set"}}
	if file == "" {
		return nil, passed
	}
	if _, err := readLogin(file, now); err != nil {
		return nil, append(passed, place{name: file, why: err.Error()})
	}
	return &login{file: file, source: file}, passed
}

// readLogin reads the CLI's login for a process of ours: without what could renew
// it. A renewal makes the old one worthless, so that the user would be logged out.
func readLogin(file string, now time.Time) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, errors.New("no such file")
	case err == nil && (!info.Mode().IsRegular() || info.Size() > maxCredentialFile):
		return nil, errors.New("no ordinary file of at most 1 MiB")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	var all struct {
		OAuth map[string]json.RawMessage `json:"claudeAiOauth"`
	}
	var token string
	if json.Unmarshal(data, &all) != nil || json.Unmarshal(all.OAuth["accessToken"], &token) != nil || token == "" {
		return nil, errors.New("no login in it")
	}
	var expires int64 // milliseconds
	if json.Unmarshal(all.OAuth["expiresAt"], &expires) == nil && expires > 0 && !now.Before(time.UnixMilli(expires)) {
		return nil, errors.New("the login has run out; any use of \"claude\" renews it")
	}
	for name := range all.OAuth {
		if strings.Contains(strings.ToLower(name), "refresh") {
			delete(all.OAuth, name)
		}
	}
	var b bytes.Buffer
	err = json.NewEncoder(&b).Encode(all)
	return b.Bytes(), err
}

// environment is what a process of the CLI finds the login in, if it is not a file.
func (l *login) environment() []string {
	if l.token == "" {
		return nil
	}
	return []string{"CLAUDE_CODE_OAUTH_TOKEN=" + l.token}
}

// prepare puts the login into a process's configuration folder, as it is by then.
func (l *login) prepare(now func() time.Time) func(string) error {
	return func(folder string) error {
		if l.file == "" {
			return nil
		}
		data, err := readLogin(l.file, now())
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, loginFile), data, 0o600)
		}
		if err != nil {
			return fmt.Errorf("the login of the Claude Code CLI from '%s': %w", l.file, err)
		}
		return nil
	}
}
