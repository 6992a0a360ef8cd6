package messages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

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
	htmlDepth = 30
	htmlValue = 2000 // bytes of one attribute
)

// pageText is a page's text, as markdown when it is HTML.
func pageText(ctx context.Context, body []byte, declared string, at *url.URL) (string, error) {
	kind, params, err := mime.ParseMediaType(declared)
	if err != nil || kind == "application/octet-stream" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(body))
	}
	if !isText(kind) || bytes.IndexByte(body, 0) >= 0 {
		return "", fmt.Errorf("the page is a binary file ('%s'), not text", head(kind, 100))
	}
	content, err := decoded(body, params["charset"])
	if err != nil {
		return "", err
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

// decoded makes UTF-8 of a page. Other encodings than Latin 1 would need tables
// that cost every start.
func decoded(body []byte, charset string) (string, error) {
	switch strings.ToLower(charset) {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return strings.ToValidUTF8(strings.TrimPrefix(string(body), "\uFEFF"), "\uFFFD"), nil
	case "iso-8859-1", "latin1", "windows-1252":
		runes := make([]rune, len(body))
		for i, b := range body {
			runes[i] = rune(b)
		}
		return string(runes), nil
	}
	return "", fmt.Errorf("the page's encoding '%s' cannot be read here", head(charset, 50))
}

// markdown converts the beginning of an HTML page.
func markdown(ctx context.Context, page string, at *url.URL) (string, error) {
	doc, err := html.Parse(stoppable{ctx, strings.NewReader(page)})
	if err != nil {
		return "", fmt.Errorf("read HTML: %w", err)
	}
	p := pruning{nodes: htmlNodes, text: htmlText}
	p.prune(doc, 0)
	if err := ctx.Err(); err != nil {
		return "", errors.New("the page took too long")
	}
	// Escapes are for a renderer; for a model they are noise, and finding them is
	// quadratic in the text.
	c := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()))
	out, err := c.ConvertNode(doc, converter.WithDomain(at.Scheme+"://"+at.Host))
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
}

// prune takes out of n's children what is not for reading, what lies too deep
// and what is too much.
func (p *pruning) prune(n *html.Node, depth int) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if unread(c) {
			n.RemoveChild(c)
		} else if p.nodes <= 0 || p.text <= 0 || depth > htmlDepth {
			n.RemoveChild(c)
			p.cut = true
		} else {
			p.keep(c)
			p.prune(c, depth+1)
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
				kept = append(kept, a)
				p.text -= len(a.Val)
			}
		}
	}
	n.Attr = kept
}
