package gitstate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"git-flower/gitstate/document"
)

// Name is the document's path in the tree of every later record of its run,
// "reports/0007-0123456789ab.md". Meta.From and Meta.Replaces hold such names.
func (d Doc) Name() string {
	return fmt.Sprintf("%s/%04d-%s.md", d.Kind.Folder(), d.Counter, d.Hash)
}

// parseName takes a document's name apart.
func parseName(name string) (folder string, counter int, hash string, ok bool) {
	folder, file, _ := strings.Cut(name, "/")
	number, rest, _ := strings.Cut(file, "-")
	hash, isFile := strings.CutSuffix(rest, ".md")
	ok = isFile && isDocFolder(folder) &&
		len(hash) == 12 && consists(hash, lowerHex, 12) &&
		len(number) >= 4 && consists(number, digits, 9) && (len(number) == 4 || number[0] != '0')
	if !ok {
		return "", 0, "", false
	}
	counter, err := strconv.Atoi(number)
	return folder, counter, hash, err == nil && counter > 0
}

// isDocFolder says whether a folder can be the plural of a kind, which is the
// kind and one letter, or two where "y" becomes "ies".
func isDocFolder(folder string) bool {
	return consists(folder, lowerAlpha+digits+"-", maxKind+2) && strings.HasSuffix(folder, "s") &&
		strings.IndexByte(lowerAlpha, folder[0]) >= 0
}

// print returns the document's file, whole.
func (d Doc) print() []byte {
	var b strings.Builder
	b.WriteString("---\nkind: " + string(d.Kind) + "\n")
	for _, p := range d.Meta.pairs() {
		b.WriteString(p.key + ": " + p.value + "\n")
	}
	b.WriteString("---\n")
	if d.Body != "" {
		b.WriteString("\n" + d.Body + "\n")
	}
	return []byte(b.String())
}

var errEncoding = errors.New("not in its one encoding")

// parseDoc reads a document's file.
func parseDoc(file []byte) (Doc, error) {
	rest, ok := strings.CutPrefix(string(file), "---\n")
	head, body, found := strings.Cut(rest, "\n---\n")
	if !ok || !found {
		return Doc{}, errors.New("no head between two lines '---'")
	}
	d := Doc{Body: strings.TrimSuffix(strings.TrimPrefix(body, "\n"), "\n"), Hash: hashOf(file)}
	for i, line := range strings.Split(head, "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok || (i == 0) != (key == "kind") {
			return Doc{}, fmt.Errorf("head line '%.80s' is not expected", line)
		}
		if i == 0 {
			d.Kind = Kind(value)
		} else if err := d.Meta.set(pair{key, value}); err != nil {
			return Doc{}, err
		}
	}
	if err := d.check(); err != nil {
		return Doc{}, err
	}
	if string(d.print()) != string(file) {
		return Doc{}, errEncoding
	}
	return d, nil
}

func (d Doc) check() error {
	switch {
	case !isKind(d.Kind):
		return fmt.Errorf("'%.80s' is not a kind", string(d.Kind))
	case d.Body != document.Clean(d.Body):
		return errors.New("the body is not clean")
	}
	return d.Meta.check()
}

func hashOf(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])[:12]
}

// newDoc cleans what a caller wants recorded and numbers it.
func newDoc(kind Kind, meta Meta, body string, counter int) (Doc, []byte, error) {
	d := Doc{Kind: kind, Counter: counter, Meta: meta.clean(), Body: cutBody(document.Clean(body))}
	if err := d.check(); err != nil {
		return d, nil, err
	}
	file := d.print()
	d.Hash = hashOf(file)
	return d, file, nil
}

func cutBody(body string) string {
	if len(body) <= MaxBody {
		return body
	}
	note := fmt.Sprintf("\n\n[cut: %d bytes in all, only the beginning is kept]", len(body))
	return cutText(body, MaxBody-len(note)) + note
}
