package main

import (
	"maps"
	"strings"
	"testing"

	"github.com/joho/godotenv"
	"pgregory.net/rapid"
)

func TestEnvFile(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		odd              []int // lines
	}{
		{"plain", "K=v", "v", nil},
		{"blanks around", "  K = v \t", "v", nil},
		{"export", "export K=v", "v", nil},
		{"export with tabs", "\texport\tK=v", "v", nil},
		{"double quotes", `K="v w"`, "v w", nil},
		{"single quotes", `K='v w'`, "v w", nil},
		{"equals signs in the value", "K=a=b=c", "a=b=c", nil},
		{"comment behind", "K=v # note", "v", nil},
		{"two comments behind", "K=v # a # b", "v", nil},
		{"comment only", "K= # note", "", nil},
		{"number sign in the value", "K=v#w", "v#w", nil},
		{"comment behind quotes", `K="v # w" # note`, "v # w", nil},
		{"empty", "K=", "", nil},
		{"empty quotes", `K=""`, "", nil},
		{"dollars stay", "K=a$HOME-${X}", "a$HOME-${X}", []int{1}},
		{"dollars in quotes stay", `K="a$HOME"`, "a$HOME", []int{1}},
		{"escapes in double quotes", `K="a\"b\\c\n\$d"`, "a\"b\\c\n$d", []int{1}},
		{"escaped quote at the end", `K="\"a\""`, `"a"`, nil},
		{"no escapes in single quotes", `K='a\nb'`, `a\nb`, nil},
		{"over lines", "K=\"a\nX=1\nb\"\n", "a\nX=1\nb", nil},
		{"carriage returns", "K=v\r\nL=w\r\n", "v", nil},
		{"byte order mark", "\uFEFFK=v", "v", nil},
		{"comments and blank lines", "# K=w\n\n   \n  # x\nK=v\n", "v", nil},
		{"last one counts", "K=v\nK=w", "w", []int{2}},
		{"a colon is no equals sign", "K: v", "", []int{1}},
		{"no equals sign", "K", "", []int{1}},
		{"a key with a blank", "K L=v", "", []int{1}},
		{"a bad line does not hide the good ones", "!?\nK=v", "v", []int{1}},
		{"quote never closed", "K=\"abc\nL=w", "", []int{1}},
		{"words behind a quote", `K="a" b`, "", []int{1}},
	} {
		values, odd := parseEnvFile(c.text)
		if values["K"] != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.name, c.text, values["K"], c.want)
		}
		var lines []int
		for _, o := range odd {
			lines = append(lines, o.line)
		}
		if len(lines) != len(c.odd) || len(lines) > 0 && lines[0] != c.odd[0] {
			t.Errorf("%s: odd lines %v, want %v", c.name, odd, c.odd)
		}
	}
}

func TestOddLinesDoNotRepeatSecrets(t *testing.T) {
	secret := "sk-ant-verysecret"
	for _, text := range []string{secret, "K=\"" + secret, "K='" + secret + "' x", "K " + secret + "=1", secret + ": x", "K=$" + secret} {
		_, odd := parseEnvFile(text)
		if len(odd) == 0 {
			t.Errorf("%q is not odd", text)
		}
		for _, o := range odd {
			if strings.Contains(o.text, "verysecret") {
				t.Errorf("%q: said %q", text, o.text)
			}
		}
	}
}

// Where ours and the well-known library agree: plain files. Where not, and why
// it is not used: the second test.
func TestDotenvAgainstLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOfN(rapid.StringMatching(`[A-Z_][A-Z0-9_]{0,8}`), rapid.StringMatching(`[a-zA-Z0-9/:.=+-]{0,12}`), 0, 5).Draw(t, "values")
		var text strings.Builder
		for key, value := range want {
			text.WriteString(rapid.SampledFrom([]string{"", "export ", "  "}).Draw(t, "before") + key +
				rapid.SampledFrom([]string{"=", " = ", "="}).Draw(t, "equals"))
			quote := rapid.SampledFrom([]string{"", `"`, "'"}).Draw(t, "quote")
			text.WriteString(quote + value + quote)
			if value != "" && rapid.Bool().Draw(t, "comment") {
				text.WriteString(" # note")
			}
			text.WriteString("\n")
		}
		ours, odd := parseEnvFile(text.String())
		theirs, err := godotenv.Unmarshal(text.String())
		if err != nil || len(odd) > 0 || !maps.Equal(ours, want) || !maps.Equal(theirs, want) {
			t.Fatalf("%q: ours %v (%v), theirs %v (%v), want %v", text.String(), ours, odd, theirs, err, want)
		}
	})
}

func TestDotenvUnlikeLibrary(t *testing.T) {
	for text, theirs := range map[string]string{
		"K=pass$WORD1": "pass",   // an unknown name becomes nothing
		"K= # note":    "# note", // a comment becomes the value
		"K=v # a # b":  "v # a",
		`K="\"a\""`:    `"a`,
	} {
		got, err := godotenv.Unmarshal(text)
		if err != nil || strings.TrimRight(got["K"], `\`) != theirs {
			t.Errorf("the library reads %q as %q, %v: is it better now?", text, got["K"], err)
		}
	}
	if _, err := godotenv.Unmarshal("a-b\nK=secret"); err == nil || !strings.Contains(err.Error(), "secret") {
		t.Errorf("the library no longer repeats the file: %v", err)
	}
}

func FuzzEnvFile(f *testing.F) {
	for _, seed := range []string{"K=v", "K=\"a\nb\"", "export K='", "\uFEFF=", "K=\\", "K=\"\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, odd := parseEnvFile(text)
		lines := strings.Count(text, "\n") + 1
		if len(values) > lines || len(odd) > 2*lines {
			t.Errorf("%d values and %d odd lines in %d lines", len(values), len(odd), lines)
		}
		for key := range values {
			if !assignment.MatchString(key + "=") {
				t.Errorf("key %q", key)
			}
		}
	})
}

func TestParseSettings(t *testing.T) {
	values, err := parseSettings([]byte(`{"env": {"A": "x", "B": 3, "C": null, "D": {"e": 1}}, "permissions": []}`))
	if err != nil || values["A"] != "x" || values["B"] != "" || values["D"] != "" {
		t.Errorf("%v, %v", values, err)
	}
	for _, bad := range []string{"", "[]", `{"env": "sk-ant-verysecret"}`, `{"env": {"A": "sk-ant-verysecret"`, "\x00"} {
		if _, err := parseSettings([]byte(bad)); err == nil || strings.Contains(err.Error(), "verysecret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if values, err := parseSettings([]byte(`{}`)); err != nil || len(values) > 0 {
		t.Errorf("without env: %v, %v", values, err)
	}
}
