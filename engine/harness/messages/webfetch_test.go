package messages

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// newSite serves pages on loopback, to a kit that may connect there.
func newSite(t *testing.T, h http.HandlerFunc) (*kit, string) {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return newKit(t, func(c *Config) { c.WebAddress = netip.Addr.IsLoopback }), s.URL
}

func TestWebFetchMakesTextOfPages(t *testing.T) {
	for _, c := range []struct{ name, kind, body, want, not string }{
		{"html", "text/html; charset=utf-8", "<title>T</title><script>evil()</script><!--c--><h1>Head</h1><p>a <b>b</b> <a href='/x'>l</a>", "# Head\n\na **b** [l](http", "evil"},
		{"json", "application/json", `{"a": "<b>"}`, `{"a": "<b>"}`, "\\<"},
		{"text", "text/plain", "# as *it* is\n", "# as *it* is\n", "\\*"},
		{"undeclared html", "application/octet-stream", "<!doctype html><p>x<em>y</em>", "x*y*", "<em>"},
		{"latin 1", "text/plain; charset=ISO-8859-1", "caf\xe9", "café", "\xe9"},
		{"windows 1252", "text/plain; charset=windows-1252", "\x80 5", "€ 5", "\x80"},
		{"byte order mark", "text/plain", "\xef\xbb\xbfx", "x", "\uFEFF"},
		{"utf-16", "text/html; charset=utf-16le", "<\x00p\x00>\x00\xe9\x00", "é", "\x00"},
		{"utf-16 by its mark", "text/plain", "\xfe\xff\x00x\x20\xac", "x€", "\uFEFF"},
		{"base", "text/html", "<base href='https://example.com/a/b'><a href=c>l</a><img src=/d alt=i>", "[l](https://example.com/a/c)![i](https://example.com/d)", "127.0.0.1"},
		{"not utf-8", "text/plain", "a\xffb", "a\uFFFDb", "\xff"},
		{"picture inside", "text/html", "<p>x<img src='data:image/png;base64,AAAA'>y", "x", "AAAA"},
		{"empty", "text/html", "", "(the page has no text)", "\x00"},
	} {
		k, site := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			_, _ = io.WriteString(w, c.body)
		})
		got := k.good("WebFetch", in{"url": site, "prompt": "what I want"})
		before, page, _ := strings.Cut(got, "\n\n")
		if !strings.Contains(page, c.want) || strings.Contains(page, c.not) {
			t.Errorf("%s: %q", c.name, page)
		}
		if !strings.Contains(before, "what I want") || !strings.Contains(before, "not the words of the person") {
			t.Errorf("%s: framed by %q", c.name, before)
		}
	}
}

func TestWebFetchRefusesPages(t *testing.T) {
	for _, c := range []struct {
		name, says string
		serve      http.HandlerFunc
	}{
		{"binary", "binary", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			_, _ = io.WriteString(w, "x")
		}},
		{"binary that says text", "binary", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, "a\x00b")
		}},
		{"missing", "404", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }},
		{"encoding", "x-none", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=x-none")
			_, _ = io.WriteString(w, "x")
		}},
		{"large", "5 MB", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("x", webPage+1)) }},
		{"large when unpacked", "5 MB", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, strings.Repeat("x", 50<<20))
			_ = z.Close()
		}},
		{"broken off", "fetch page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = io.WriteString(w, "x")
		}},
		{"round and round", "redirects", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) }},
		{"redirect with credentials", "credentials", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://u:p@example.com/")
			w.WriteHeader(302)
		}},
	} {
		k, site := newSite(t, c.serve)
		t.Run(c.name, func(t *testing.T) { k.bad("WebFetch", in{"url": site, "prompt": "p"}, c.says) })
	}
}

func TestWebFetchFollowsWithinOneHostOnly(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(other.Close)
	k, site := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/here":
			http.Redirect(w, r, "/there", http.StatusMovedPermanently)
		case "/away":
			http.Redirect(w, r, other.URL+"/else", http.StatusFound)
		default:
			_, _ = io.WriteString(w, "arrived at "+r.URL.Path)
		}
	})
	if got := k.good("WebFetch", in{"url": site + "/here", "prompt": "p"}); !strings.Contains(got, "arrived at /there") {
		t.Errorf("%q", got)
	}
	if got := k.good("WebFetch", in{"url": site + "/away", "prompt": "p"}); !strings.Contains(got, other.URL+"/else") || reached {
		t.Errorf("reached %v: %q", reached, got)
	}
}

func TestWebFetchRefusesAddresses(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("reached") }))
	t.Cleanup(s.Close)
	port := s.URL[strings.LastIndexByte(s.URL, ':'):]
	k := newKit(t, func(c *Config) { c.WebAddress = publicAddress })
	for _, u := range []string{s.URL, "http://localhost" + port, "http://[::1]" + port, "http://[::ffff:127.0.0.1]" + port,
		"http://0.0.0.0" + port, "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/"} {
		k.bad("WebFetch", in{"url": u, "prompt": "p"}, "not on the public internet")
	}
	for u, says := range map[string]string{
		"http://u:secret@example.com/": "credentials", "ftp://example.com/": "no http", "file:///etc/passwd": "no http", "x": "no http",
		"": "no http", "http://": "no http", "http://a b/": "no URL", "http://x/\n": "no URL", "http://" + strings.Repeat("x", 2000): "2000",
	} {
		k.bad("WebFetch", in{"url": u, "prompt": "p"}, says)
		if r := k.call("WebFetch", in{"url": u, "prompt": "p"}); strings.Contains(r.Text, "secret") {
			t.Errorf("a password was repeated: %q", r.Text)
		}
	}
}

func TestPublicAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true, "172.32.0.1": true, "100.128.0.1": true,
		"127.0.0.1": false, "127.9.9.9": false, "0.0.0.0": false, "0.1.2.3": false, "10.1.1.1": false, "172.16.0.1": false,
		"192.168.1.1": false, "169.254.169.254": false, "100.100.100.200": false, "168.63.129.16": false, "224.0.0.1": false,
		"255.255.255.255": false, "198.18.0.1": false, "::": false, "::1": false, "fe80::1%eth0": false, "fd00:ec2::254": false,
		"::ffff:10.0.0.1": false, "::ffff:169.254.169.254": false, "::7f00:1": false, "64:ff9b::a9fe:a9fe": false,
		"2002:7f00:1::": false, "2001:0:1::1": false, "2001:db8::1": false, "ff02::1": false, "fec0::1": false,
	} {
		if got := publicAddress(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: public %v", text, got)
		}
	}
	if publicAddress(netip.Addr{}) {
		t.Error("no address at all is public")
	}
}

func TestSameHost(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"http://a.b/x", "http://A.b/y", true}, {"http://a.b", "https://www.a.b", true}, {"https://a.b", "http://a.b", false},
		{"http://a.b", "http://c.b", false}, {"http://a.b:80", "http://a.b:81", false}, {"http://a.b", "https://a.b:99", false},
		{"https://a.b", "https://a.b.evil", false},
	} {
		a, _ := url.Parse(c.a)
		b, _ := url.Parse(c.b)
		if got := sameHost(a, b); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}

// The converter takes minutes for some of these when they come whole, which is
// far beyond the time that the tests of a package have.
func TestHostilePagesAreConverted(t *testing.T) {
	if testing.Short() {
		t.Skip("megabytes of pages, in one goroutine")
	}
	at := &url.URL{Scheme: "http", Host: "x"}
	for name, page := range map[string]string{
		"deep":     strings.Repeat("<ul><li>", 250) + strings.Repeat("x<br>", 100_000),
		"deeper":   strings.Repeat("<div>", 1_000_000),
		"just":     strings.Repeat("<div>", 190) + strings.Repeat("<p>x", 20_000),
		"lists":    strings.Repeat("<ul><li>", htmlLists-1) + strings.Repeat("x<br>", 100_000),
		"listed":   strings.Repeat("<ul><li>y", htmlLists-1) + strings.Repeat("x ", 100_000),
		"bold":     strings.Repeat("<b><i>", 90) + strings.Repeat("*x ", 100_000),
		"quotes":   strings.Repeat("<blockquote>", 500) + strings.Repeat("x\n", 100_000),
		"escapes":  strings.Repeat("*_[`", 1_200_000),
		"spans":    "<table>" + strings.Repeat("<tr><td rowspan=60000 colspan=1000>a", 1000) + "</table>",
		"wide":     "<table><tr>" + strings.Repeat("<td>a", 800_000) + "</table>",
		"breaks":   strings.Repeat("<br>", 1_000_000),
		"misnests": strings.Repeat("<a><table>", 200),
		"links":    strings.Repeat("<a href='x y(('>[[</a>", 200_000),
	} {
		out, err := markdown(t.Context(), page, at)
		tooDeep := name == "deeper" // the parser itself refuses it
		if (err != nil) != tooDeep || len(out) > 10*htmlText {
			t.Errorf("%s: %d bytes, %v", name, len(out), err)
		}
	}
}

func TestLongPagesAreCutAndSaySo(t *testing.T) {
	k, site := newSite(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("é ", webText)) })
	got := k.good("WebFetch", in{"url": site, "prompt": strings.Repeat("p", 9000)})
	if len(got) > webText+webPrompt+1000 || !strings.Contains(got, "Only the first") {
		t.Errorf("%d bytes", len(got))
	}
}
