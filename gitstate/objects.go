package gitstate

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
)

// An object is one git object that is to be written.
type object struct {
	kind string // "blob", "tree" or "commit"
	data []byte
	id   ObjectID
}

// An objectWriter stores objects. What write has stored is on disk when it
// returns, unless the store was opened with NoSync. Objects that refer to others
// come after them.
type objectWriter interface {
	write(ctx context.Context, objects []object) error
}

// A format is how a repository names its objects.
type objectFormat string

func (f objectFormat) size() int {
	if f == "sha256" {
		return sha256.Size
	}
	return sha1.Size
}

func (f objectFormat) newHash() hash.Hash {
	if f == "sha256" {
		return sha256.New()
	}
	return sha1.New()
}

func (f objectFormat) name(kind string, data []byte) ObjectID {
	h := f.newHash()
	h.Write([]byte(kind + " " + strconv.Itoa(len(data)) + "\x00"))
	h.Write(data)
	return ObjectID(hex.EncodeToString(h.Sum(nil)))
}

// A batch gathers the objects of one append.
type batch struct {
	format  objectFormat
	objects []object
}

func (b *batch) add(kind string, data []byte) ObjectID {
	id := b.format.name(kind, data)
	b.objects = append(b.objects, object{kind, data, id})
	return id
}
