package messages

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf16"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
)

// Bounds of what of an HTML page is converted. The converter cannot be stopped
// and takes minutes for what a hostile page can hold in 5 MB.
const (
	htmlNodes = 20_000
	htmlText  = 100_000 // bytes
	htmlDepth = 200
	htmlLists = 20   // nested lists and quotations: each indents all that is in it anew
	htmlValue = 2000 // bytes of one attribute
)

// pageText is a page's text, as markdown when it is HTML.
func pageText(ctx context.Context, body []byte, declared string, at *url.URL) (string, error) {
	kind, params, err := mime.ParseMediaType(declared)
	if err != nil || kind == "application/octet-stream" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(body))
	}
	if !isText(kind) {
		return "", fmt.Errorf("the page is a binary file ('%s'), not text", head(kind, 100))
	}
	content, err := decoded(body, params["charset"])
	if err != nil {
		return "", err
	}
	if strings.IndexByte(content, 0) >= 0 {
		return "", fmt.Errorf("the page is a binary file, though it is called '%s'", head(kind, 100))
	}
	if kind == "text/html" || kind == "application/xhtml+xml" {
		return markdown(ctx, content, at)
	}
	return content, nil
}

// isText takes the kinds whose bytes can be read as they are.
func isText(kind string) bool {
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") && kind != "image/svg+xml" {
		return true
	}
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/yaml", "application/x-yaml",
		"application/toml", "application/x-ndjson", "application/x-sh":
		return true
	}
	return false
}

// high1252 are the characters 0x80 to 0x9f of windows-1252, which browsers read
// also where Latin 1 is declared.
const high1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

// decoded makes UTF-8 of a page, by its byte order mark, else by what the server
// says of it.
func decoded(body []byte, declared string) (string, error) {
	switch name := strings.ToLower(declared); {
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return fromUTF16(body[2:], binary.LittleEndian), nil
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return fromUTF16(body[2:], binary.BigEndian), nil
	case bytes.HasPrefix(body, []byte("\uFEFF")), name == "", name == "utf-8", name == "utf8", name == "us-ascii", name == "ascii":
		return strings.ToValidUTF8(strings.TrimPrefix(string(body), "\uFEFF"), "\uFFFD"), nil
	case name == "utf-16", name == "utf-16le":
		return fromUTF16(body, binary.LittleEndian), nil
	case name == "utf-16be":
		return fromUTF16(body, binary.BigEndian), nil
	case name == "iso-8859-1", name == "latin1", name == "windows-1252", name == "cp1252":
		return from1252(body), nil
	}
	return "", fmt.Errorf("the page's encoding '%s' cannot be read here", head(declared, 50))
}

func fromUTF16(body []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(body)/2)
	for i := range units {
		units[i] = order.Uint16(body[2*i:])
	}
	return string(utf16.Decode(units))
}

func from1252(body []byte) string {
	high := []rune(high1252)
	runes := make([]rune, len(body))
	for i, b := range body {
		runes[i] = rune(b)
		if b >= 0x80 && b <= 0x9f {
			runes[i] = high[b-0x80]
		}
	}
	return string(runes)
}

// markdown converts the beginning of an HTML page.
func markdown(ctx context.Context, page string, at *url.URL) (string, error) {
	doc, err := html.Parse(stoppable{ctx, strings.NewReader(page)})
	if err != nil {
		return "", fmt.Errorf("read HTML: %w", err)
	}
	p := pruning{nodes: htmlNodes, text: htmlText, base: baseOf(doc, at)}
	p.prune(doc, 0, 0)
	if err := ctx.Err(); err != nil {
		return "", errors.New("the page took too long")
	}
	// Escapes are for a renderer; for a model they are noise, and finding them is
	// quadratic in the text.
	c := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()))
	out, err := c.ConvertNode(doc)
	if err != nil {
		return "", fmt.Errorf("make markdown: %w", err)
	}
	s := strings.TrimSpace(string(out))
	if p.cut {
		s += "\n\n[the page goes on; the rest was left out]"
	}
	return s, nil
}

// stoppable is a reader that fails once its context has ended.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// A pruning is what may still be kept of a page.
type pruning struct {
	nodes, text int
	cut         bool
	base        *url.URL // of relative addresses
}

// baseOf is what relative addresses of a page that came from at begin with.
func baseOf(doc *html.Node, at *url.URL) *url.URL {
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != "base" {
			continue
		}
		for _, a := range n.Attr {
			if u, err := at.Parse(strings.TrimSpace(a.Val)); a.Key == "href" && err == nil && u.Host != "" {
				return u
			}
		}
	}
	return at
}

// absolute is the whole of an address; one that is none, and a place in the page
// itself, stay as they are.
func (p *pruning) absolute(address string) string {
	address = strings.TrimSpace(address)
	if u, err := p.base.Parse(address); err == nil && address != "" && address[0] != '#' {
		return u.String()
	}
	return address
}

// prune takes out of n's children what is not for reading, what lies too deep
// and what is too much.
func (p *pruning) prune(n *html.Node, depth, lists int) {
	switch n.Data {
	case "ul", "ol", "dl", "blockquote":
		lists++
	}
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if unread(c) {
			n.RemoveChild(c)
		} else if p.nodes <= 0 || p.text <= 0 || depth > htmlDepth || lists > htmlLists {
			n.RemoveChild(c)
			p.cut = true
		} else {
			p.keep(c)
			p.prune(c, depth+1, lists)
		}
		c = next
	}
}

// unread are elements whose content no reader sees.
func unread(n *html.Node) bool {
	if n.Type == html.CommentNode {
		return true
	}
	switch n.Data {
	case "script", "style", "template", "iframe", "svg", "noscript", "object":
		return n.Type == html.ElementNode
	}
	return false
}

func (p *pruning) keep(n *html.Node) {
	p.nodes--
	if n.Type == html.TextNode {
		if len(n.Data) > p.text {
			n.Data, p.cut = strings.ToValidUTF8(n.Data[:p.text], ""), true
		}
		p.text -= len(n.Data)
	}
	var kept []html.Attribute
	for _, a := range n.Attr {
		switch a.Key {
		case "href", "src", "alt", "title", "class", "start":
			if len(a.Val) <= htmlValue && !strings.HasPrefix(strings.TrimSpace(a.Val), "data:") {
				if a.Key == "href" || a.Key == "src" {
					a.Val = p.absolute(a.Val)
				}
				kept = append(kept, a)
				p.text -= len(a.Val)
			}
		}
	}
	n.Attr = kept
}
