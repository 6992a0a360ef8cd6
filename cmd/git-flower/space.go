package main

import (
	"errors"
	"os"
	"strings"

	"git-flower/gitstate/gitcmd"
)

// scarce is how many bytes a file system must have left not to be taken for full.
const scarce = 1 << 20

// isFull reports whether an error is that of a full disk: the system's, git's or
// the database's. git does not always say why it could not write: then the disk is
// looked at.
func (e *Env) isFull(err error) bool {
	if errors.Is(err, errNoSpace) || errors.Is(err, errQuota) {
		return true
	}
	text := err.Error()
	var git *gitcmd.Error
	if errors.As(err, &git) {
		text += git.Stderr
	}
	for _, words := range []string{"No space left on device", "Out of diskspace", "Disk quota exceeded", "database or disk is full"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return git != nil && asEnding(err).ending == endFatal && len(e.fullPlaces()) > 0
}

// madeSpace is what to do about a full disk before next, and which one it is.
func (e *Env) madeSpace(next string) string {
	first := "make space"
	if full := e.fullPlaces(); len(full) > 0 {
		first = "a disk is full: make space where " + strings.Join(full, " and ") + " is"
	}
	return first + "; then\n" + next
}

// fullPlaces are those of our folders whose file system has next to nothing left.
func (e *Env) fullPlaces() []string {
	places := []string{os.TempDir()}
	if e.store != nil {
		l := e.store.Layout()
		places = append([]string{l.Flower, l.State}, places...)
	}
	var full []string
	for _, path := range places {
		if left, ok := spaceLeft(path); ok && left < scarce {
			full = append(full, "'"+path+"'")
		}
	}
	return full
}
