package guards_test

import (
	"strings"
	"testing"

	"git-flower/guards"
)

// Keys are put together here, so that no scanner takes this file for a leak.
func TestHoldsCredential(t *testing.T) {
	long := strings.Repeat("aB3", 20)
	for _, key := range []string{
		"-----BEGIN OPENSSH " + "PRIVATE KEY-----", "-----BEGIN " + "PRIVATE KEY-----", "AKIA" + strings.Repeat("Q", 16), "sk-ant-" + "api03-" + long, "ghp_" + long,
		"github_pat_" + long, "glpat-" + long, "xoxb-" + long, "AIza" + long, "sk_live_" + long, "npm_" + long[:36], "hf_" + long,
	} {
		for _, text := range []string{key, "export KEY='" + key + "'\n", "{\"key\":\"" + key + "\"}"} {
			if !guards.HoldsCredential(text) {
				t.Errorf("%q is none", text)
			}
		}
	}
	for _, text := range []string{"", "sk-ant-", "ghp_short", "-----BEGIN PUBLIC KEY-----", "the key begins with sk-ant- and AKIA", "task-ant-" + long, strings.Repeat("x", 100)} {
		if guards.HoldsCredential(text) {
			t.Errorf("%q is one", text)
		}
	}
}
