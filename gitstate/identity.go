package gitstate

import (
	"context"
	"strings"
	"sync"
)

// An Identity is who signs the records as author and committer.
type Identity struct {
	Name, Email string
	// Fallback is set when git knows nobody and "git flower" stands in.
	Fallback bool
}

func (i Identity) String() string { return i.Name + " <" + i.Email + ">" }

// fallback is who uniting commits and records without an identity are by.
func fallback() Identity {
	return Identity{Name: "git flower", Email: "flower@localhost", Fallback: true}
}

// knownIdentity is what git was asked once.
type knownIdentity struct {
	mu    sync.Mutex
	known bool
	who   Identity
}

// Identity is who the records of this store are by: git's author, or a stand-in
// when git has none (then Fallback is set, for the caller to say once).
func (s *Store) Identity(ctx context.Context) Identity {
	i := &s.identity
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.known {
		return i.who
	}
	line, err := s.git.Line(ctx, "var", "GIT_AUTHOR_IDENT")
	if ctx.Err() != nil {
		return fallback() // git could not answer; nothing is recorded either
	}
	if i.who = fallback(); err == nil {
		i.who = parseIdentity(line)
	}
	i.known = true
	return i.who
}

// parseIdentity reads what 'git var' prints. A name that git would not accept
// in a commit object counts as none.
func parseIdentity(line string) Identity {
	who, _, _ := splitIdent(strings.ToValidUTF8(line, "\ufffd"))
	name, email, ok := strings.Cut(who, " <")
	email, closed := strings.CutSuffix(email, ">")
	if !ok || !closed || name == "" || strings.ContainsAny(name+email, "<>\n\x00") {
		return fallback()
	}
	return Identity{Name: name, Email: email}
}
