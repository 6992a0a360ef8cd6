package plugin

import (
	"embed"
	"io/fs"
)

//go:embed all:base
var baseFiles embed.FS

// BaseName is the name of the pack that comes with git flower; no other has it.
const BaseName = "flower"

// Base is the pack that comes with git flower.
func Base() (*Pack, error) {
	from, err := fs.Sub(baseFiles, "base")
	if err != nil {
		return nil, err
	}
	f := &Files{}
	if err := f.read(from); err != nil {
		return nil, err
	}
	return Load(f)
}
