package fence

import "fmt"

// A Level is how much the user insists.
type Level int

// The levels.
const (
	Auto    Level = iota // hold what can be held here
	Require              // refuse to work where not everything can
	Off                  // hold nothing
)

// ParseLevel reads the word of a configuration.
func ParseLevel(word string) (Level, error) {
	for l, name := range levelNames {
		if word == name {
			return Level(l), nil
		}
	}
	return Off, fmt.Errorf("'%s' is none of auto, require and off", word)
}

var levelNames = [...]string{"auto", "require", "off"}

func (l Level) String() string { return levelNames[l] }

// Means are what a machine holds a policy with. The zero value is nothing.
type Means struct {
	Landlock   int  `json:"landlock"`   // its ABI; 0 where there is none
	Namespaces bool `json:"namespaces"` // of users, mounts, processes and System V objects
	Seatbelt   bool `json:"seatbelt"`   // sandbox-exec of macOS

	// Why Namespaces is false, in the system's words; empty where it is true.
	NoNamespaces string `json:"no_namespaces,omitempty"`
}

// Any reports whether there is any.
func (m Means) Any() bool { return m.Landlock > 0 || m.Namespaces || m.Seatbelt }

// Full reports whether all of a policy is held, which Require asks for. Of
// sandbox-exec that is believed.
func (m Means) Full() bool { return m.Landlock > 0 && m.Namespaces || m.Seatbelt }

// A Hold is one thing that a fence is to hold.
type Hold struct {
	What string `json:"what"`
	By   string `json:"by,omitempty"` // what holds it here; empty: nothing does
	Need string `json:"need"`         // what could
}

// The needs.
const (
	needsLandlock   = "Landlock"
	needsNamespaces = "user namespaces"
	needsEither     = "Landlock or user namespaces"
	needsNewer      = "a newer kernel"
	needsNothing    = "what no system has yet"
)

// Holds lists what a fence is for, and what of it these means hold.
func (m Means) Holds() []Hold {
	if m.Seatbelt {
		return []Hold{
			{What: "files outside are not changed", By: "sandbox-exec", Need: "sandbox-exec"},
			{What: "hidden folders are not read", By: "sandbox-exec", Need: "sandbox-exec"},
			{What: "other processes get no signals", By: "sandbox-exec", Need: "sandbox-exec"},
			{What: "TCP connections go to listed ports only", By: "sandbox-exec", Need: "sandbox-exec"},
			{What: "sockets of agents and services in hidden folders are not reached", By: "sandbox-exec", Need: "sandbox-exec"},
			{What: "other processes are not seen", Need: needsNothing},
			{What: "shared memory outside is not reached", Need: needsNothing},
			{What: "nothing lives on when git flower is killed", Need: needsNothing},
			{What: "UDP goes to listed ports only", Need: needsNothing},
			{What: "files outside the hidden folders are not read", Need: needsNothing},
		}
	}
	abi := func(least int) string {
		if m.Landlock >= least {
			return fmt.Sprintf("Landlock (ABI %d)", m.Landlock)
		}
		return ""
	}
	space := ""
	if m.Namespaces {
		space = "namespaces"
	}
	either := func(a string) string {
		if a != "" {
			return a
		}
		return space
	}
	return []Hold{
		{"files outside are not written, made, renamed or removed", either(abi(1)), needsEither},
		{"files outside are not cut off", either(abi(3)), needsEither + " (ABI 3)"},
		{"no device but plain ones is opened or controlled", either(abi(5)), needsEither + " (ABI 5)"},
		{"signals reach no process outside", either(abi(6)), needsEither + " (ABI 6)"},
		{"abstract sockets outside are not reached", abi(6), needsLandlock + " (ABI 6)"},
		{"TCP connections go to listed ports only", abi(4), needsLandlock + " (ABI 4)"},
		{"nothing is mounted", either(abi(1)), needsEither},
		{"modes, owners and times outside stay", space, needsNamespaces},
		{"the home directory, /run and other workers' trees are not seen", space, needsNamespaces},
		{"sockets of agents and services in them are not reached", either(abi(9)), needsNamespaces},
		{"other processes and their environments are not seen", space, needsNamespaces},
		{"shared memory outside is not reached", space, needsNamespaces},
		{"nothing lives on when git flower is killed", space, needsNamespaces},
		{"sockets elsewhere in the file system are not reached", abi(9), needsLandlock + " (ABI 9)"},
		{"Multipath TCP goes to listed ports only", "", needsNothing},
		{"files that are seen are not locked", "", needsNothing},
		{"UDP goes to listed ports only", "", needsNothing},
		{"files outside the hidden folders are not read", "", needsNothing},
	}
}

// Words is what holds, for one line.
func (m Means) Words() string {
	switch {
	case m.Seatbelt:
		return "sandbox-exec (never tried on a Mac yet)"
	case m.Full():
		return fmt.Sprintf("Landlock (ABI %d) and namespaces", m.Landlock)
	case m.Landlock > 0:
		return fmt.Sprintf("Landlock (ABI %d) alone", m.Landlock)
	case m.Namespaces:
		return "namespaces alone"
	}
	return "nothing"
}
