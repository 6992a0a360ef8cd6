package rehearse

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"
)

// An object is a JSON object of the request with the path that error messages
// name it by.
type object struct {
	path string
	raw  map[string]json.RawMessage
}

func (o object) at(name string) string {
	return strings.TrimPrefix(o.path+"."+name, ".")
}

// asObject reads a JSON object.
func asObject(path string, raw json.RawMessage) (object, *apiError) {
	if first(raw) != '{' {
		return object{}, invalid("%s: Input should be a valid dictionary", path)
	}
	return object{path: path, raw: members(raw)}, nil
}

func asList(path string, raw json.RawMessage) ([]json.RawMessage, *apiError) {
	if first(raw) != '[' {
		return nil, invalid("%s: Input should be a valid list", path)
	}
	return listed(raw), nil
}

func first(raw json.RawMessage) byte {
	t := bytes.TrimLeft(raw, " \t\r\n")
	if len(t) == 0 {
		return 0
	}
	return t[0]
}

// has says whether a field is there and not null.
func (o object) has(name string) bool {
	raw, ok := o.raw[name]
	return ok && first(raw) != 'n'
}

// only refuses fields that are not among the known ones, which stand in one
// text with blanks between them.
func (o object) only(known string) *apiError {
	var extra []string
	for name := range o.raw {
		if !listedIn(known, name) {
			extra = append(extra, name)
		}
	}
	if len(extra) == 0 {
		return nil
	}
	sort.Strings(extra)
	return invalid("%s: Extra inputs are not permitted", o.at(extra[0]))
}

// str reads a required text.
func (o object) str(name string) (string, *apiError) {
	if _, ok := o.raw[name]; !ok {
		return "", invalid("%s: Field required", o.at(name))
	}
	if first(o.raw[name]) != '"' {
		return "", invalid("%s: Input should be a valid string", o.at(name))
	}
	return unquote(o.raw[name]), nil
}

// optional reads a text that may be missing or null.
func (o object) optional(name string) (string, *apiError) {
	if !o.has(name) {
		return "", nil
	}
	return o.str(name)
}

func (o object) integer(name string) (int64, *apiError) {
	if _, ok := o.raw[name]; !ok {
		return 0, invalid("%s: Field required", o.at(name))
	}
	var i int64
	if json.Unmarshal(o.raw[name], &i) != nil || first(o.raw[name]) == 'n' {
		return 0, invalid("%s: Input should be a valid integer", o.at(name))
	}
	return i, nil
}

func (o object) boolean(name string) (bool, *apiError) {
	if !o.has(name) {
		return false, nil
	}
	var b bool
	if json.Unmarshal(o.raw[name], &b) != nil {
		return false, invalid("%s: Input should be a valid boolean", o.at(name))
	}
	return b, nil
}

// oneOf reads an optional text from a closed set.
func (o object) oneOf(name string, values ...string) (string, *apiError) {
	s, err := o.optional(name)
	if err != nil || !o.has(name) {
		return s, err
	}
	for _, v := range values {
		if s == v {
			return s, nil
		}
	}
	return s, invalid("%s: Input should be '%s'", o.at(name), strings.Join(values, "' or '"))
}

// listedIn says whether a word is in a list with blanks between the words.
func listedIn(words, word string) bool {
	for w := range strings.FieldsSeq(words) {
		if w == word {
			return true
		}
	}
	return false
}
