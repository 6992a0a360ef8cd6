package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const wholeLogin = `{"claudeAiOauth": {"accessToken": "sk-ant-oat01-x", "refreshToken": "sk-ant-ort01-y", "refreshTokenExpiresAt": 1, "expiresAt": %d,
	"scopes": ["user:inference"], "subscriptionType": "max"}, "mcpOAuth": {"a": {"accessToken": "z"}}}`

func TestALoginServesWithoutAKey(t *testing.T) {
	w := newWardrobe(t)
	file := filepath.Join(w.home, ".claude", loginFile)
	w.put(file, fmt.Sprintf(wholeLogin, noon.Add(time.Hour).UnixMilli()))
	c, err := w.find()
	if err != nil || c.Login == nil || c.Login.file != file || c.Source != file || c.APIKey+c.AuthToken != "" {
		t.Fatalf("%v, %v", c, err)
	}
	w.env["CLAUDE_CODE_OAUTH_TOKEN"] = "sk-ant-oat01-x"
	if c, err = w.find(); err != nil || c.Login == nil || !slices.Equal(c.Login.environment(), []string{"CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-x"}) {
		t.Errorf("the environment comes first: %v, %v", c, err)
	}
	if text := fmt.Sprintf("%v %#v", c, c); strings.Contains(text, "oat01") {
		t.Errorf("the token is in %q", text)
	}
	w.env["ANTHROPIC_API_KEY"] = "key"
	if c, err = w.find(); err != nil || c.Login != nil || c.APIKey != "key" {
		t.Errorf("a key comes before it: %v, %v", c, err)
	}
}

func TestTheCLIsFolderIsWhereTheUserHasIt(t *testing.T) {
	w := newWardrobe(t)
	dir := t.TempDir()
	w.env["CLAUDE_CONFIG_DIR"] = dir
	w.put(filepath.Join(dir, loginFile), fmt.Sprintf(wholeLogin, 0))
	if c, err := w.find(); err != nil || c.Login == nil || c.Login.file != filepath.Join(dir, loginFile) {
		t.Errorf("%v, %v", c, err)
	}
}

func TestWhatIsNoLogin(t *testing.T) {
	w := newWardrobe(t)
	file := filepath.Join(w.home, ".claude", loginFile)
	for text, why := range map[string]string{
		"": "no login in it", "{": "no login in it", "[]": "no login in it", `{"claudeAiOauth": {"accessToken": ""}}`: "no login in it",
		`{"claudeAiOauth": {"accessToken": 7}}`: "no login in it", `{"mcpOAuth": {"accessToken": "x"}}`: "no login in it",
		fmt.Sprintf(wholeLogin, noon.UnixMilli()): "has run out",
	} {
		w.put(file, text)
		if c, err := w.find(); err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "oat01") {
			t.Errorf("%q: %v, %v", text, c, err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o755); err != nil {
		t.Fatal(err)
	}
	if c, err := w.find(); err == nil {
		t.Errorf("a folder: %v", c)
	}
}

// What the CLI of a session gets renews nothing and opens nothing else.
func TestACopyOfALoginCannotBeRenewed(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, loginFile)
	write := func(expires time.Time) {
		if err := os.WriteFile(file, fmt.Appendf(nil, wholeLogin, expires.UnixMilli()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(noon.Add(time.Hour))
	prepare := (&login{file: file}).prepare(func() time.Time { return noon })
	if err := prepare(folder); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(folder, loginFile)
	data, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"ort01", "efresh", "mcpOAuth", `"z"`} {
		if strings.Contains(string(data), secret) {
			t.Errorf("%s was copied: %s", secret, data)
		}
	}
	var got struct {
		OAuth struct {
			AccessToken string
			ExpiresAt   int64
			Scopes      []string
		} `json:"claudeAiOauth"`
	}
	if err := json.Unmarshal(data, &got); err != nil || got.OAuth.AccessToken != "sk-ant-oat01-x" || got.OAuth.ExpiresAt != noon.Add(time.Hour).UnixMilli() || len(got.OAuth.Scopes) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	write(noon)
	if err := prepare(t.TempDir()); err == nil || !strings.Contains(err.Error(), "run out") {
		t.Errorf("one that has run out: %v", err)
	}
	if err := (&login{token: "x"}).prepare(nil)(t.TempDir()); err != nil {
		t.Errorf("a token of the environment needs no file: %v", err)
	}
}
