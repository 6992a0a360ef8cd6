package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"git-flower/worktree/fence"
)

// A worker that has the checkout writes to the git directory, since git makes its
// files there itself. What is there and git obeys is read-only to it where there
// are namespaces (inPlaceSeen). What is not there yet is kept from it so:
//
//   - With namespaces an empty folder or file is made where one does no harm, for
//     something to be mounted read-only there; it is taken away with the worker.
//   - Otherwise, and for names that even an empty file would do harm under, what
//     is there after a command or at a look of ours is moved aside and told.
//
// Left are: a shallow file, and without namespaces git directories of submodules
// and of other checkouts and refs. The user makes those too, git runs nothing of
// them in this checkout, and to move them would break what the user has made.

// neverInGitDir are in no main git directory: who puts them there has the user's
// next git take another folder for the repository.
var neverInGitDir = []string{"commondir", "gitdir"}

// asideFolder is where they are moved, below the common git directory.
const asideFolder = "flower/aside"

// A place that git obeys, from the common git directory.
type obeyed struct {
	name   string
	folder bool
	users  bool // is left without namespaces
}

func (p *Pool) obeyed() ([]obeyed, error) {
	all := []obeyed{
		{name: "hooks", folder: true}, {name: "info", folder: true}, {name: "config.worktree"}, {name: "objects/info/alternates"},
		{name: "modules", folder: true, users: true}, {name: "worktrees", folder: true, users: true}, {name: "refs/flower", folder: true, users: true},
	}
	own, err := p.gitDirFromCommon()
	if err == nil && own != "." && filepath.IsLocal(own) {
		own = filepath.ToSlash(own)
		all = append(all, obeyed{name: path.Join(own, "config.worktree")}, obeyed{name: path.Join(own, "info"), folder: true})
	}
	return all, err
}

// keepFree keeps a worker from making what git obeys. made are the places that
// were made for that, never are names besides neverInGitDir.
func (p *Pool) keepFree() (made, never []string, err error) {
	all, err := p.obeyed()
	if err != nil {
		return nil, nil, err
	}
	for _, o := range all {
		at := filepath.Join(p.c.CommonDir, filepath.FromSlash(o.name))
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if !p.c.Fence.Means.Namespaces {
			if !o.users {
				never = append(never, o.name)
			}
			continue
		}
		if err := makeEmpty(at, o.folder); err != nil {
			return made, never, err
		}
		made = append(made, o.name)
	}
	return made, never, nil
}

func makeEmpty(at string, folder bool) error {
	if folder {
		return os.MkdirAll(at, 0o777)
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	return f.Close()
}

// takeAway removes what keepFree made and nobody has put anything into.
func (p *Pool) takeAway(made []string) {
	for _, name := range made {
		at := filepath.Join(p.c.CommonDir, filepath.FromSlash(name))
		if info, err := os.Lstat(at); err == nil && (info.IsDir() || info.Mode().IsRegular() && info.Size() == 0) {
			os.Remove(at) // a folder that holds something stays
		}
	}
}

// keepFreeAgain is keepFree for a worker that had the checkout before, maybe held by
// other means: what was to stay free then is to stay so.
func (c *InPlace) keepFreeAgain() error {
	had := c.note.Made
	if !c.p.c.Fence.Means.Namespaces {
		c.p.takeAway(had) // nothing is mounted there
		had = nil
	}
	made, never, err := c.p.keepFree()
	if err == nil {
		err = c.set(func(n *inPlaceNote) {
			n.Made = union(had, made)
			n.Never = slices.DeleteFunc(union(n.Never, never), func(name string) bool { return slices.Contains(n.Made, name) })
		})
	}
	if err != nil {
		c.p.takeAway(made)
	}
	return err
}

func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// never is what must not be in the git directory now.
func (c *InPlace) never() fence.Never { return c.neverOf(c.note.Never) }

func (c *InPlace) neverOf(names []string) fence.Never {
	return fence.Never{Dir: c.p.c.CommonDir, Names: slices.Concat(neverInGitDir, names), Aside: asideFolder}
}

// everAside are the words about what was ever moved aside here.
func (c *InPlace) everAside() ([]string, error) {
	all, err := c.p.obeyed()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(all))
	for i, o := range all {
		names[i] = o.name
	}
	return c.neverOf(names).Told()
}

// strange are the words about what was moved aside since the worker began.
func (c *InPlace) strange() ([]string, error) {
	told, err := c.everAside()
	return slices.DeleteFunc(told, func(words string) bool { return slices.Contains(c.note.Aside, words) }), err
}
