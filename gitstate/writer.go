package gitstate

import (
	"context"
	"strings"
)

// objectWriter chooses once how this repository's objects are written.
func (s *Store) objectWriter(ctx context.Context) (objectWriter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer != nil {
		return s.writer, nil
	}
	native, err := s.suitsNative(ctx)
	if err != nil {
		return nil, err
	}
	s.writer = nativeWriter{dir: s.layout.objects, noSync: s.config.NoSync}
	if !native {
		s.writer = gitWriter{git: s.plain, layout: s.layout, noSync: s.config.NoSync}
	}
	return s.writer, nil
}

// suitsNative says whether loose objects may be written without git: not with
// other hashes, not where files need shared modes, not with an extension of the
// repository's format that might concern objects.
func (s *Store) suitsNative(ctx context.Context) (bool, error) {
	if s.objectFormat() != "sha1" {
		return false, nil
	}
	out, err := s.plain.Read(ctx, "config", "--null", "--list")
	if err != nil {
		return false, err
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		extension, found := strings.CutPrefix(key, "extensions.")
		switch {
		case key == "core.sharedrepository" && !unshared(value):
			return false, nil
		case found && !harmless(extension):
			return false, nil
		}
	}
	return true, nil
}

func unshared(value string) bool {
	switch strings.ToLower(value) {
	case "umask", "false", "0", "no", "off":
		return true
	}
	return false
}

// harmless extensions say nothing about how a loose sha1 object is stored.
func harmless(extension string) bool {
	switch extension {
	case "noop", "noop-v1", "objectformat", "worktreeconfig", "partialclone", "preciousobjects",
		"refstorage", "relativeworktrees":
		return true
	}
	return false
}

// ObjectPath names what writes the repository's objects: "go-git", or "git" where
// go-git's way does not suit the repository.
func (s *Store) ObjectPath(ctx context.Context) (string, error) {
	w, err := s.objectWriter(ctx)
	if _, native := w.(nativeWriter); native && err == nil {
		return "go-git", nil
	}
	return "git", err
}
