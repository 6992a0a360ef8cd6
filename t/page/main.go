// Command page is a web server on loopback with one page, for tests of what is
// read on the web: page <file with the page> <file for the URL> <file for the
// requests>. Each request adds its path to the last. It serves until it is killed.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: page <page> <url> <requests>")
	}
	page, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	requests, err := os.OpenFile(args[2], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := os.WriteFile(args[1], []byte("http://"+l.Addr().String()), 0o600); err != nil {
		return err
	}
	var mu sync.Mutex
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		fmt.Fprintln(requests, r.URL.RequestURI())
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(page)
	}))
}
