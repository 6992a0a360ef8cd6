package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// A place is somewhere that credentials may be. values is nil when there is
// nothing; why says it in words.
type place struct {
	name   string
	values map[string]string
	why    string
}

// places lists where to look, first come first served. They are functions, so
// that a file behind the one that serves is never opened.
func (s credentialSearch) places() []func(context.Context) place {
	config, _ := s.lookup("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = s.under(".config")
	}
	return []func(context.Context) place{
		s.environment,
		s.named,
		s.beside,
		func(context.Context) place { return s.envFile(joined(config, "git-flower", ".env")) },
		func(context.Context) place { return s.envFile(joined(config, "flower", ".env")) },
		func(context.Context) place { return s.settingsFile(s.under(".claude", "settings.json")) },
	}
}

func (s credentialSearch) under(parts ...string) string {
	return joined(s.home, parts...)
}

// joined is a path below dir, empty when there is no dir.
func joined(dir string, parts ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

func (s credentialSearch) environment(context.Context) place {
	p := place{name: "the environment", values: map[string]string{}}
	for _, key := range credentialKeys() {
		if v, _ := s.lookup(key); v != "" {
			p.values[key] = v
		}
	}
	if len(p.values) == 0 {
		p.why = "ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN are not set"
	}
	return p
}

// named is the file that FLOWER_ENV names.
func (s credentialSearch) named(context.Context) place {
	file, _ := s.lookup("FLOWER_ENV")
	if file == "" {
		return place{name: "the file in $FLOWER_ENV", why: "FLOWER_ENV is not set"}
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(s.dir, file)
	}
	return s.envFile(file)
}

// beside is the .env of the directory. What git tracks came from others, and
// so may what another user owns: a key or an address in it is not ours to use.
func (s credentialSearch) beside(ctx context.Context) place {
	p := s.envFile(filepath.Join(s.dir, ".env"))
	if len(p.values) == 0 {
		return p
	}
	refuse := func(why string) place {
		s.warn(fmt.Sprintf("%s: ignored for credentials: %s", p.name, why))
		return place{name: p.name, why: "ignored: " + why}
	}
	if err := ownedByUser(p.name); err != nil {
		return refuse(err.Error())
	}
	tracked, err := s.tracked(ctx, ".env")
	switch {
	case err != nil:
		return refuse(fmt.Sprintf("cannot tell whether git tracks it: %v", err))
	case tracked:
		return refuse("git tracks it")
	}
	return p
}

func (s credentialSearch) envFile(file string) place {
	return s.readPlace(file, func(data []byte) map[string]string {
		values, odd := parseEnvFile(string(data))
		for _, o := range odd {
			s.warn(fmt.Sprintf("%s:%d: %s", file, o.line, o.text))
		}
		return values
	})
}

func (s credentialSearch) settingsFile(file string) place {
	return s.readPlace(file, func(data []byte) map[string]string {
		values, err := parseSettings(data)
		if err != nil {
			s.warn(fmt.Sprintf("%s: %v", file, err))
		}
		return values
	})
}

// maxCredentialFile bounds what is read; such files have a few lines.
const maxCredentialFile = 1 << 20

func (s credentialSearch) readPlace(file string, parse func([]byte) map[string]string) place {
	if file == "" {
		return place{name: "a file in the home directory", why: "there is no home directory"}
	}
	p := place{name: file}
	info, err := os.Stat(file)
	switch {
	case os.IsNotExist(err):
		p.why = "no such file"
		return p
	case err == nil && (!info.Mode().IsRegular() || info.Size() > maxCredentialFile):
		p.why = "no ordinary file of at most 1 MiB"
		return p
	}
	data, err := os.ReadFile(file)
	if err != nil {
		p.why = "cannot be read"
		s.warn(fmt.Sprintf("%s: %v", file, err))
		return p
	}
	p.values = map[string]string{}
	for key, value := range parse(data) {
		for _, known := range credentialKeys() {
			if key == known && value != "" {
				p.values[key] = value
			}
		}
	}
	return p
}
