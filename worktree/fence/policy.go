package fence

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// A Policy is what one command is held to. All paths are absolute. Where paths
// lie within each other, the longest one decides.
type Policy struct {
	Means Means // what holds it here, from Probe; the zero value holds nothing

	Write []string // folders below which everything may be changed
	Read  []string // files and folders that are seen, also below a hidden one; those that are missing are left out
	Hide  []string // folders that are empty but for what is listed; the home directory may be written to, and forgets
	Home  string   // one of Hide, or empty
	Temp  string   // a folder that may be written to and stands for /tmp as well; may be empty

	Never Never // what must not be there when a command has ended, whatever the means

	Ports []uint16 // TCP ports that may be connected to; none means all
	Env   []string // set in the command's environment, "KEY=value"
}

// On reports whether anything is to be held.
func (p Policy) On() bool { return p.Means.Any() }

// With is p with more folders that may be changed.
func (p Policy) With(dirs ...string) Policy {
	p.Write = slices.Concat(p.Write, dirs)
	return p
}

// ReadOnly is p with nothing that may be changed but Temp. What may be changed
// in p can be seen.
func (p Policy) ReadOnly() Policy {
	p.Read = slices.Concat(p.Read, p.Write)
	p.Write = nil
	p.Env = append(p.Env[:len(p.Env):len(p.Env)], "GIT_OPTIONAL_LOCKS=0")
	return p
}

// A rule is what holds for a path and what is below it.
type rule struct {
	Path string // as it was given
	Real string // without symbolic links
	Kind kind
}

type kind int

const (
	hidden  kind = iota // seen as empty
	scratch             // empty, may be written to, kept for one command
	seen
	writable
)

// rules are the policy's paths, each after those it lies in. resolve takes
// symbolic links out of a path; where it fails the path is missing and left out.
func (p Policy) rules(resolve func(string) (string, error)) []rule {
	var all []rule
	add := func(k kind, paths ...string) {
		for _, path := range paths {
			if real, err := resolve(path); err == nil && real != "/" {
				all = append(all, rule{filepath.Clean(path), real, k})
			}
		}
	}
	add(hidden, p.Hide...)
	if p.Home != "" {
		add(scratch, p.Home)
	}
	add(seen, p.Read...)
	add(writable, p.Write...)
	if p.Temp != "" {
		add(writable, p.Temp)
	}
	// Of rules for one path the more generous counts.
	slices.SortStableFunc(all, func(a, b rule) int {
		return cmp.Or(cmp.Compare(a.Real, b.Real), cmp.Compare(b.Kind, a.Kind))
	})
	return slices.CompactFunc(all, func(a, b rule) bool { return a.Real == b.Real })
}

// below reports whether a path is dir or lies in it.
func below(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
