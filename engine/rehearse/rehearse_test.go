package rehearse

import (
	"sync"
	"testing"
)

// start serves a script until the test ends.
func start(t *testing.T, script string) *Server {
	t.Helper()
	return startWith(t, script, Config{})
}

func startWith(t *testing.T, script string, c Config) *Server {
	t.Helper()
	parsed, err := Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(t.Context(), parsed, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// startLogged keeps what the server logs; read it after Close.
func startLogged(t *testing.T, script string, to *[]Exchange) *Server {
	var mu sync.Mutex
	return startWith(t, script, Config{Log: func(x Exchange) {
		mu.Lock()
		defer mu.Unlock()
		*to = append(*to, x)
	}})
}
