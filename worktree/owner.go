package worktree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// How far a slot got.
const (
	stateEmpty     = ""          // made, nothing in it
	stateBuilding  = "building"  // being filled; holds nobody's work
	stateWorking   = "working"   // a worker's
	stateScratch   = "scratch"   // a throw-away tree of a living process
	stateReleasing = "releasing" // proven to hold nothing unsaved, being cleaned
	stateFree      = "free"      // clean at Base, or to be made anew when Base is empty
	stateAside     = "aside"     // moved aside with unsaved work
	stateUnknown   = "unknown"   // its owner file cannot be read
)

// An owner is the content of a slot's owner file.
type owner struct {
	State  string   `json:"state"`
	Run    string   `json:"run,omitempty"`
	Worker string   `json:"worker,omitempty"`
	Base   string   `json:"base,omitempty"`  // commit the tree was made at
	Tip    string   `json:"tip,omitempty"`   // worker's HEAD when it was last brought into the user's objects
	Saved  string   `json:"saved,omitempty"` // last commit of ours that holds the tree's files
	Notes  []string `json:"notes,omitempty"` // to be told by Finish
	// Refill is set while a deleted tree is put back: until then it is as good as deleted.
	Refill bool   `json:"refill,omitempty"`
	Cone   string `json:"cone,omitempty"` // name of the slot's cone
	Reason string `json:"reason,omitempty"`
	PID    int    `json:"pid,omitempty"`
	Since  string `json:"since,omitempty"` // RFC 3339

	Written     string `json:"written,omitempty"`     // under which conversions the files were
	ConeFolders string `json:"coneFolders,omitempty"` // what core.sparseCheckoutCone says there

	want cone   // which files the tree is to hold
	warm string // where the caches are kept with which it begins
}

// clean reports whether the slot's files are those of Base.
func (o owner) clean() bool { return o.State == stateFree && o.Base != "" }

// readOwner reads a slot's owner file. One that is missing is that of an empty
// slot; one that cannot be understood is no error either, but is told apart.
func readOwner(dir string) (owner, error) {
	text, err := os.ReadFile(filepath.Join(dir, "owner"))
	if errors.Is(err, fs.ErrNotExist) {
		return owner{State: stateEmpty}, nil
	}
	if err != nil {
		return owner{State: stateUnknown}, err
	}
	var o owner
	if err := json.Unmarshal(text, &o); err != nil {
		return owner{State: stateUnknown, Reason: fmt.Sprintf("its owner file cannot be read: %v", err)}, nil
	}
	return o, nil
}

func (o owner) write(dir string) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "owner"), append(text, '\n'))
}

// writeFile puts text in place of the file at path, in whole or not at all. It
// replaces a symbolic link rather than follow it.
func writeFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
