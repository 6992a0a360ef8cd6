package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"strings"
)

// checks are the promises that do not hold.
func checks(h harness, d *driver, s report, w effects) error {
	broken := []error{prefixes(d.r, s), agree(d.r, s, h.stores), d.memory.flat()}
	fail := func(bad bool, format string, args ...any) {
		if bad {
			broken = append(broken, fmt.Errorf(format, args...))
		}
	}
	fail(len(d.kills) > 0, "%d kills did not come", len(d.kills))
	fail(s.handoffs.main == 0 || s.handoffs.workers == 0, "%d handoffs of the coordinator, %d of workers: no water mark was crossed", s.handoffs.main, s.handoffs.workers)
	fail(s.handoffs.empty+s.handoffs.degraded > 0, "%d handoffs are empty, %d were not written by their sessions", s.handoffs.empty, s.handoffs.degraded)
	lost, _ := s.lost(d.r)
	fail(lost > 0, "%d turns of workers are lost", lost)
	fail(len(w.missing) > 0, "of %d changes that workers made %d are not in the result: %.200s", w.changes, len(w.missing), strings.Join(w.missing, ", "))
	fail(w.changes == 0, "no worker changed anything")
	return errors.Join(broken...)
}

// prefixes: each request begins with the whole one before it in its session, but for
// the first one after a load, and that only where the load rewrote history: then the
// answers behind it name that.
func prefixes(r *recorder, s report) error {
	var broken []error
	rewrites := map[string]int{}
	r.each(func(c *seen) {
		if c.broken > 0 {
			broken = append(broken, fmt.Errorf("%s %s: %d requests do not begin with the one before", c.role, c.worker, c.broken))
		}
		rewrites[c.worker] += c.rewrites
	})
	for worker, n := range rewrites {
		if marks := len(s.marks[worker]); n > marks {
			broken = append(broken, fmt.Errorf("'%s': %d rewritten beginnings, %d histories that were rewritten", worker, n, marks))
		}
	}
	return errors.Join(broken...)
}

// lost is how many whole answers that workers got no transcript has. Those that a kill
// stopped are others: nothing had been done about them, and they are asked for again.
func (s report) lost(r *recorder) (lost, stopped int) {
	r.each(func(c *seen) {
		for id := range c.answers {
			switch {
			case c.role != "worker" || s.stored[id]:
			case c.unheard[id]:
				stopped++
			default:
				lost++
			}
		}
	})
	return lost, stopped
}

// agree compares what stats says with what was seen: sessions, turns, calls and characters
// by role, and what was billed. A session whose rules changed would be seen as two. What the driver was killed at it may know or not. Where
// not all that is sent is stored, as the reminders of Claude Code, characters are
// something else.
func agree(r *recorder, s report, stores bool) error {
	var sure, all usage
	var settled, doubts int
	own, sessions := map[string]held{}, map[string]int{}
	r.each(func(c *seen) {
		all = all.plus(c.billed)
		sure = sure.plus(c.billed).minus(c.doubted)
		settled += c.settled
		doubts += c.doubts
		h := own[c.role]
		h.Characters += c.held()
		for id, a := range c.answers {
			if s.stored[id] {
				h.Turns++
				h.Calls += a.calls()
			}
		}
		own[c.role] = h
		sessions[c.role]++
	})
	var broken []error
	b := s.Total.Billed
	for _, f := range []struct {
		what        string
		got         int64
		least, most int64
	}{
		{"input", b.Input, sure.Input, all.Input}, {"read from the cache", b.Read, sure.Read, all.Read},
		{"written to the cache", b.Written, sure.Written, all.Written}, {"output", b.Output, sure.Output, all.Output},
		{"requests", int64(b.Requests), int64(settled - doubts), int64(settled)},
	} {
		if f.got < f.least || f.got > f.most {
			broken = append(broken, fmt.Errorf("stats: %d %s, seen were %d to %d", f.got, f.what, f.least, f.most))
		}
	}
	for role, h := range own {
		if n := s.of(role).Sessions; n != sessions[role] {
			broken = append(broken, fmt.Errorf("stats: %s has %d sessions, seen were %d", role, n, sessions[role]))
		}
		got := s.held(role)
		if !stores || role != "coordinator" && role != "worker" { // whose last call's result ends them and is sent to nobody
			got.Characters, h.Characters = 0, 0
		}
		if got.Turns != h.Turns || got.Calls != h.Calls || got.Characters != h.Characters {
			broken = append(broken, fmt.Errorf("stats: %s has %d turns, %d calls, %d characters, seen were %d, %d and %d",
				role, got.Turns, got.Calls, got.Characters, h.Turns, h.Calls, h.Characters))
		}
	}
	return errors.Join(broken...)
}

// effects are what workers were told to change, and what of it the result lacks.
type effects struct {
	changes int
	missing []string
}

// result looks for every change that a worker's answers called for in the run's result,
// but for calls that were cut off.
func result(ctx context.Context, dir string, r *recorder) effects {
	var w effects
	wanted := map[string][]string{} // lines by file
	r.each(func(c *seen) {
		if c.role != "worker" {
			return
		}
		for _, a := range c.answers {
			for _, b := range a.blocks {
				if name, line := change(b); name != "" && !c.stopped[b.ID] {
					wanted[name] = append(wanted[name], line)
				}
			}
		}
	})
	for name, lines := range wanted {
		cmd := exec.CommandContext(ctx, "git", "show", "refs/flower/join/marathon:work/"+name)
		cmd.Dir = dir
		text, err := cmd.Output()
		for _, line := range lines {
			w.changes++
			if err != nil || !strings.Contains("\n"+string(text), "\n"+line+"\n") {
				w.missing = append(w.missing, name+": "+line)
			}
		}
	}
	return w
}

// change is the file in work and the line that a call makes, "" when it makes none.
func change(b block) (name, line string) {
	var in struct {
		Path    string `json:"file_path"`
		Content string
		New     string `json:"new_string"`
	}
	if b.Type != "tool_use" || json.Unmarshal(b.Input, &in) != nil || path.Base(path.Dir(in.Path)) != "work" || in.Content+in.New == "" {
		return "", ""
	}
	line, _, _ = strings.Cut(in.Content+in.New, "\n")
	return path.Base(in.Path), line
}
