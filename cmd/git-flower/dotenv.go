package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// An oddLine is a line of a .env file that was not understood, or not as its
// writer may think. Its text never repeats the line, which may hold a secret.
type oddLine struct {
	line int
	text string
}

// assignment is the only statement of a .env file.
var assignment = regexp.MustCompile(`^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(.*)$`)

// parseEnvFile reads KEY=value lines: "export" may stand before, quotes around
// the value (over several lines too), a comment after it. An empty value is as
// good as none. "$" stands for itself.
//
// This is not godotenv: that gives up a whole file at its first bad line and
// repeats the rest of it, keys and all, in its error; it replaces $NAME by an
// earlier key or by nothing, which cuts a password in two; and it takes "K= # note"
// and "K=v # a # b" for values with "#" in them. TestDotenvAgainstLibrary holds
// where the two agree and where not.
func parseEnvFile(text string) (values map[string]string, odd []oddLine) {
	values = map[string]string{}
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		number := i + 1
		if trimmed := strings.TrimSpace(lines[i]); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		parts := assignment.FindStringSubmatch(lines[i])
		if parts == nil {
			odd = append(odd, oddLine{number, "not KEY=value, skipped"})
			continue
		}
		raw, more := wholeValue(parts[2], lines[i+1:])
		i += more
		value, err := decodeValue(raw)
		if err != nil {
			odd = append(odd, oddLine{number, fmt.Sprintf("value of %s: %v, skipped", parts[1], err)})
			continue
		}
		if strings.Contains(value, "$") {
			odd = append(odd, oddLine{number, fmt.Sprintf("value of %s: '$' stands for itself", parts[1])})
		}
		if _, twice := values[parts[1]]; twice {
			odd = append(odd, oddLine{number, parts[1] + " is set a second time; the last one counts"})
		}
		values[parts[1]] = value
	}
	return values, odd
}

// wholeValue joins a quoted value with the lines over which it goes on. One that
// never ends is left on its line.
func wholeValue(first string, following []string) (value string, more int) {
	if first == "" || first[0] != '"' && first[0] != '\'' {
		return first, 0
	}
	value = first
	for closing(value) < 0 {
		if more == len(following) {
			return first, 0
		}
		value += "\n" + following[more]
		more++
	}
	return value, more
}

// closing finds the quote that ends a value which begins with one, else -1.
func closing(value string) int {
	for i := 1; i < len(value); i++ {
		if value[i] == value[0] && value[i-1] != '\\' {
			return i
		}
	}
	return -1
}

func decodeValue(raw string) (string, error) {
	if raw == "" || raw[0] != '"' && raw[0] != '\'' {
		return strings.TrimSpace(withoutComment(raw)), nil
	}
	end := closing(raw)
	if end < 0 {
		return "", errors.New("its quote is never closed")
	}
	if rest := strings.TrimSpace(raw[end+1:]); rest != "" && rest[0] != '#' {
		return "", errors.New("something stands behind its closing quote")
	}
	if raw[0] == '\'' {
		return raw[1:end], nil
	}
	return strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\"`, `"`, `\$`, "$", `\\`, `\`).Replace(raw[1:end]), nil
}

// withoutComment cuts an unquoted value at the first "#" that follows a blank or
// stands at its beginning.
func withoutComment(value string) string {
	for i := range len(value) {
		if value[i] == '#' && (i == 0 || value[i-1] == ' ' || value[i-1] == '\t') {
			return value[:i]
		}
	}
	return value
}

// parseSettings reads the "env" object of Claude Code's settings. Values that
// are no strings are left out.
func parseSettings(data []byte) (map[string]string, error) {
	var settings struct {
		Env map[string]json.RawMessage `json:"env"`
	}
	if err := json.Unmarshal(data, &settings); err != nil {
		return nil, errors.New("not the JSON of settings, skipped") // the decoder's words may repeat a value
	}
	values := map[string]string{}
	for key, raw := range settings.Env {
		var value string
		if json.Unmarshal(raw, &value) == nil {
			values[key] = value
		}
	}
	return values, nil
}
