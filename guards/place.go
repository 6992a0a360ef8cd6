package guards

// Places tells where paths lead.
type Places interface {
	// Place follows all links of an absolute path. An error means that it cannot
	// be told where the path leads.
	Place(path string) (Place, error)
}

// A Place is where a path leads.
type Place struct {
	// Path is absolute and without links. What does not exist stands as written
	// below the last directory that does.
	Path string
	Kind Kind
	// Shared says that a regular file has other names, one of which may lie
	// anywhere: whoever writes into it changes it there as well.
	Shared bool
}

// A Kind is what is at a place.
type Kind int

// The kinds. The zero kind is something that no tool can work with.
const (
	Special  Kind = iota // a pipe, a socket, a device
	Missing              // nothing yet
	File                 // a regular file
	Folder               // a directory
	Dangling             // a link to nothing
)
