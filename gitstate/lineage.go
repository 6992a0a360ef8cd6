package gitstate

import (
	"encoding/json"
	"slices"
)

// A Lineage is the place of one step or worker in lineage/<machine>.json.
type Lineage struct {
	Session string   `json:"session"` // the newest
	Harness string   `json:"harness,omitempty"`
	Retired []string `json:"retired,omitempty"` // those before it, oldest first
}

func lineagePath(machine string) string { return "lineage/" + machine + ".json" }

// Lineage returns the sessions of one machine by worker, or by step where no
// worker is named.
func (h History) Lineage(machine string) map[string]Lineage {
	out := map[string]Lineage{}
	for _, d := range h.Docs {
		m := d.Meta
		key := m.Worker
		if key == "" {
			key = m.Step
		}
		if d.Kind != KindSession || m.Machine != machine || m.Session == "" {
			continue
		}
		l := out[key]
		if l.Session != "" && l.Session != m.Session {
			l.Retired = append(l.Retired, l.Session)
		}
		l.Retired = slices.DeleteFunc(l.Retired, func(s string) bool { return s == m.Session })
		l.Session, l.Harness = m.Session, m.Harness
		out[key] = l
	}
	return out
}

// lineage is the file's content; the keys are sorted.
func (h History) lineage(machine string) []byte {
	data, err := json.MarshalIndent(h.Lineage(machine), "", "  ")
	if err != nil {
		panic(err) // strings only
	}
	return append(data, '\n')
}
