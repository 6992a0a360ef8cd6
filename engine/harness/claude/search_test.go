package claude

import (
	"strings"
	"testing"
)

func TestWithoutClosed(t *testing.T) {
	closed := func(path string) bool { return strings.HasSuffix(path, "/.env.odd") }
	for name, tt := range map[string]struct{ in, want string }{
		"lines":         {`{"mode":"content","content":".env.odd:1:KEY=x\na.txt:1:KEY=y\n.env.odd-2-more\nsub/.env.odd:3:KEY"}`, `{"content":"a.txt:1:KEY=y","mode":"content"}`},
		"counts":        {`{"content":".env.odd:4\na.txt:1"}`, `{"content":"a.txt:1"}`},
		"names":         {`{"filenames":["a","/work/.env.odd",".env.odd"],"numFiles":3}`, `{"filenames":["a"],"numFiles":3}`},
		"nothing":       {`{"filenames":["a"],"content":"a:1:.env.odd:"}`, ""},
		"no object":     {`["x"]`, ""},
		"another shape": {`{"filenames":"a","content":17}`, ""},
	} {
		got, changed := withoutClosed([]byte(tt.in), "/work", closed)
		if changed != (tt.want != "") || changed && string(got) != tt.want || !changed && string(got) != tt.in {
			t.Errorf("%s: %s, %v", name, got, changed)
		}
	}
}
