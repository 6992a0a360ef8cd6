package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// line is what git prints for GIT_TRACE=1.
var line = regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d{6} trace_test\.go:\d+ +\S`)

func TestTraceHasGitsShape(t *testing.T) {
	var b bytes.Buffer
	tr, err := openTrace("1", &b, func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	tr.printf("first %s", "a\nb\x1b[1m")
	got := strings.TrimSuffix(b.String(), "\n")
	if !line.MatchString(got) || got[40:] != `first a\nb` {
		t.Errorf("%q", got)
	}
}

func TestTraceToAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	for range 2 {
		tr, err := openTrace(file, nil, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		tr.printf("entry")
	}
	data, err := os.ReadFile(file)
	if err != nil || strings.Count(string(data), "entry\n") != 2 {
		t.Errorf("%q, %v", data, err)
	}
}

func TestTraceOffAndWrong(t *testing.T) {
	for _, off := range []string{"", "0", "false"} {
		if tr, err := openTrace(off, nil, time.Now); tr != nil || err != nil {
			t.Errorf("%q: %v, %v", off, tr, err)
		}
	}
	(*tracer)(nil).printf("silent")
	for _, wrong := range []string{"relative/file", "12", "/no/such/folder/trace"} {
		if _, err := openTrace(wrong, nil, time.Now); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
	d := newDesk(t)
	t.Setenv("GIT_TRACE_FLOWER", "relative")
	d.expect(0, "version") // as git does, it warns and works
	if !strings.HasPrefix(d.err.String(), "warning: ") {
		t.Errorf("said %q", d.err.String())
	}
}
