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

// onceIdentity asks git once.
type onceIdentity struct {
	once sync.Once
	who  Identity
}

// Identity is who the records of this store are by: git's author, or a stand-in
// when git has none (then Fallback is set, for the caller to say once).
func (s *Store) Identity(ctx context.Context) Identity {
	s.identity.once.Do(func() {
		line, err := s.git.Line(ctx, "var", "GIT_AUTHOR_IDENT")
		s.identity.who = parseIdentity(line)
		if err != nil {
			s.identity.who = fallback()
		}
	})
	return s.identity.who
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
