package messages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"git-flower/engine/harness"
)

const (
	grepOutput = 30_000 // bytes
	grepHits   = 250    // lines or files shown if head_limit is not given
	grepLine   = 500    // characters of one line
)

const grepAbout = `Searches file contents with a regular expression (RE2 syntax). output_mode: files_with_matches (default) lists files, content shows the lines, count counts them per file.
glob narrows the files ("*.go", "src/**/*.ts"); binary files and the git directory are left out. -A, -B and -C show lines around a match, -n numbers (on by default), -i ignores case. At most head_limit results are shown (250 if not given).`

const grepSchema = `{"type":"object","properties":{` +
	`"pattern":{"type":"string","description":"the regular expression"},` +
	`"path":{"type":"string","description":"file or directory to search; the working directory if not given"},` +
	`"glob":{"type":"string","description":"which files"},` +
	`"output_mode":{"type":"string","enum":["content","files_with_matches","count"]},` +
	`"-i":{"type":"boolean","description":"ignore case"},` +
	`"-n":{"type":"boolean","description":"number lines, in mode content"},` +
	`"-A":{"type":"integer","description":"lines after a match"},` +
	`"-B":{"type":"integer","description":"lines before a match"},` +
	`"-C":{"type":"integer","description":"lines before and after a match"},` +
	`"multiline":{"type":"boolean","description":"let . and the pattern cross line ends"},` +
	`"head_limit":{"type":"integer","description":"how many results"}},` +
	`"required":["pattern"]}`

type grepInput struct {
	Pattern   string `json:"pattern"`
	Path      string `json:"path"`
	Glob      string `json:"glob"`
	Mode      string `json:"output_mode"`
	Fold      bool   `json:"-i"`
	Numbers   *bool  `json:"-n"`
	After     int    `json:"-A"`
	Before    int    `json:"-B"`
	Around    int    `json:"-C"`
	Multiline bool   `json:"multiline"`
	Limit     int    `json:"head_limit"`
}

// A search is one Grep while it goes on.
type search struct {
	in    grepInput
	re    *regexp.Regexp
	out   strings.Builder
	shown int
	full  bool // no room for more

	closed int // files that were left out since their contents are withheld
}

var errFull = errors.New("enough")

func (f *files) grep(ctx context.Context, in grepInput) (harness.Result, error) {
	s, err := newSearch(in)
	if err != nil {
		return harness.Result{}, err
	}
	root, err := f.searchPlace(in.Path)
	if err != nil {
		return harness.Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	w := &walk{ctx: ctx, visit: func(x walked) error {
		switch {
		case in.Glob != "" && !matches(strings.TrimPrefix(in.Glob, "./"), x.rel):
			return nil
		case f.closed(x.path):
			s.closed++
			return nil
		}
		if s.file(x); s.full {
			return errFull
		}
		return nil
	}}
	err = w.from(root)
	switch {
	case errors.Is(err, errFull):
		s.out.WriteString("(there is more; narrow the search or raise head_limit)\n")
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintf(&s.out, "(stopped after %s; use a smaller directory)\n", searchTime)
	case err != nil:
		return harness.Result{}, err
	}
	if s.out.Len() == 0 {
		s.out.WriteString("(no matches)")
	}
	if s.closed > 0 {
		fmt.Fprintf(&s.out, "\n(%d files that may hold secrets were not searched)", s.closed)
	}
	return text(s.out.String())
}

func newSearch(in grepInput) (*search, error) {
	flags := "m"
	if in.Fold {
		flags += "i"
	}
	if in.Multiline {
		flags += "s"
	}
	if len(in.Pattern) > 10_000 {
		return nil, errors.New("the pattern is too long")
	}
	re, err := regexp.Compile("(?" + flags + ")" + in.Pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern is not valid: %w", err)
	}
	switch in.Mode {
	case "":
		in.Mode = "files_with_matches"
	case "content", "files_with_matches", "count":
	default:
		return nil, fmt.Errorf("output_mode '%s' is not content, files_with_matches or count", in.Mode)
	}
	if in.Limit <= 0 {
		in.Limit = grepHits
	}
	in.After, in.Before = max(0, in.After, in.Around), max(0, in.Before, in.Around)
	return &search{in: in, re: re}, nil
}

// file searches one file. What cannot be read, is binary or too large is left out.
func (s *search) file(x walked) {
	path := x.path
	data, _, err := whole(x.folder, x.name, path)
	if err != nil || bytes.IndexByte(data[:min(len(data), sniffLength)], 0) >= 0 {
		return
	}
	if s.in.Mode == "files_with_matches" {
		if s.re.Match(data) {
			s.put(path)
		}
		return
	}
	hits := s.hits(data)
	switch {
	case len(hits) == 0:
	case s.in.Mode == "count":
		s.put(fmt.Sprintf("%s:%d", path, len(hits)))
	default:
		s.lines(path, data, hits)
	}
}

// put shows one result.
func (s *search) put(line string) {
	if s.shown >= s.in.Limit || s.out.Len() > grepOutput {
		s.full = true
		return
	}
	s.shown++
	s.out.WriteString(line)
	s.out.WriteByte('\n')
}

// hits are the numbers of the lines, from 0, that hold part of a match.
func (s *search) hits(data []byte) []int {
	var hits []int
	line, at := 0, 0
	for _, m := range s.re.FindAllIndex(data, -1) {
		if m[0] == len(data) && m[0] > 0 && data[m[0]-1] == '\n' {
			break // an empty match after the last line
		}
		line += bytes.Count(data[at:m[0]], []byte("\n"))
		at = m[0]
		last := line + bytes.Count(data[m[0]:max(m[0], m[1]-1)], []byte("\n"))
		for n := line; n <= last; n++ {
			if len(hits) == 0 || hits[len(hits)-1] < n {
				hits = append(hits, n)
			}
		}
	}
	return hits
}

// lines shows the hits of a file with what is around them, groups apart.
func (s *search) lines(path string, data []byte, hits []int) {
	all := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	next := 0
	for _, h := range hits {
		first := max(next, h-s.in.Before)
		if (s.in.Before > 0 || s.in.After > 0) && first > next && next > 0 {
			s.out.WriteString("--\n")
		}
		last := min(len(all)-1, h+s.in.After)
		for n := first; n <= last && !s.full; n++ {
			_, hit := slices.BinarySearch(hits, n)
			s.put(s.line(path, n, all[n], hit))
		}
		next = max(next, last+1)
	}
}

func (s *search) line(path string, n int, line []byte, hit bool) string {
	mark := "-"
	if hit {
		mark = ":"
	}
	shown := strings.ToValidUTF8(strings.TrimRight(string(line), "\r"), "\uFFFD")
	if utf8.RuneCountInString(shown) > grepLine {
		shown = string([]rune(shown)[:grepLine]) + "…"
	}
	if s.in.Numbers != nil && !*s.in.Numbers {
		return path + mark + shown
	}
	return fmt.Sprintf("%s%s%d%s%s", path, mark, n+1, mark, shown)
}
