package main

import (
	"fmt"
	"io"
)

// A row of the table.
type row struct{ what, here, target, published string }

// table prints the figures beside those that are published.
func table(out io.Writer, p plan, d *driver, s report, w effects) error {
	rows := []row{{"", "here", "target", "published"}}
	rows = append(rows, kept(s)...)
	rows = append(rows, caching(d.r, s)...)
	rows = append(rows, survived(p, d, s, w)...)
	rows = append(rows, d.memory.rows()...)
	for _, r := range rows {
		if _, err := fmt.Fprintf(out, "%-44s %20s  %-12s %s\n", r.what, r.here, r.target, r.published); err != nil {
			return err
		}
	}
	return nil
}

// What is published of the run whose shape this is (stores.md 10.1): the main thread's
// characters, its rows with usage, the tasks that it dispatched.
const (
	publishedCharacters = 200_100
	publishedRows       = 70
	publishedTasks      = 23
)

// kept is what stayed out of the coordinator's context, as it is and by other ways of
// counting: the script decides how long its words are and how many tasks go into one
// dispatch.
func kept(s report) []row {
	main, workers := s.held("coordinator"), s.held("worker")
	turns := func(main int) string { return percent(share(workers.Turns, main)) }
	perTask := main.Characters / max(1, main.Tasks)
	asPublished := main.Tasks * publishedCharacters / publishedTasks
	rows := []row{
		{"kept out: characters", percent(s.Main.Characters), "≥ 98 %", "94.8 %"},
		{"  characters of the coordinator a task", fmt.Sprint(perTask), "", fmt.Sprint(publishedCharacters / publishedTasks)},
		{"  if it held as many a task as published", percent(share(workers.Characters, asPublished)), "≥ 98 %", "94.8 %"},
		{"kept out: turns, answers", percent(s.Main.Turns), "≥ 98.5 %", "98.2 % (derived)"},
		{"  turns of the coordinator, of workers", fmt.Sprintf("%d, %d", main.Turns, workers.Turns), "", "36, 1.9K (derived)"},
		{"  were each task a dispatch of its own", turns(main.Turns + main.Tasks - main.Tools["dispatch"]), "≥ 98.5 %", ""},
		{fmt.Sprintf("  were its turns %d, as the published rows", publishedRows), turns(publishedRows), "≥ 98.5 %", "97.7 % (rows)"},
		{"kept out: rows", percent(s.Main.Rows), "", "97.7 %"},
		{"growth a turn", tokens(s.Main.Growth), "≤ 1.5K", "2.2K (a row)"},
		{"  if it held as many a task as published", tokens(grownBy(s.Main.Growth, asPublished-main.Characters, main.Turns)), "≤ 1.5K", ""},
	}
	if s.Main.Hidden != nil {
		rows = append(rows, row{"calls of workers a task", fmt.Sprintf("%.0f", *s.Main.Hidden), "", "82"})
	}
	return append(rows,
		row{"calls refused, of the coordinator's", fmt.Sprintf("%d of %d", main.Denials, main.Calls), "0", "1 of 32"})
}

func caching(r *recorder, s report) []row {
	var all, main [2]int64
	requests, rewrites, loads, cut, marks, broken := 0, 0, 0, 0, 0, 0
	r.each(func(c *seen) {
		all[0], all[1] = all[0]+c.common, all[1]+c.total
		if c.role == "coordinator" {
			main[0], main[1] = main[0]+c.common, main[1]+c.total
		}
		requests += c.requests
		loads += c.loads
		rewrites += c.rewrites
		broken += c.broken
		cut += c.cut
	})
	for _, m := range s.marks {
		marks += len(m)
	}
	b := s.Total.Billed
	part := func(of [2]int64) string { return percent(share(int(of[0]), int(of[1]-of[0]))) }
	return []row{
		{"cache hits, consecutive requests", part(all), "≥ 97 %", ""},
		{"  the coordinator's", part(main), "", ""},
		{"cache hits, billed", percent(share(int(b.Read), int(b.Input+b.Written))), "", "96.1 %"},
		{"requests", fmt.Sprint(requests), "", ""},
		{"  rewritten beginnings between loads", fmt.Sprint(broken), "0", ""},
		{"  after loads", fmt.Sprintf("%d of %d loads, %d rewrote", rewrites, loads, marks), "≤ rewrote", ""},
		{"  cut short by a kill", fmt.Sprint(cut), "", ""},
	}
}

func survived(p plan, d *driver, s report, w effects) []row {
	lost, stopped := s.lost(d.r)
	rows := []row{
		{"failed tries survived", fmt.Sprint(s.Total.Billed.Failed), "", ""},
		{"kills of the driver survived", fmt.Sprint(len(p.kills) - len(d.kills)), "", ""},
		{"turns of workers lost", fmt.Sprint(lost), "0", "some"},
		{"  stopped by a kill", fmt.Sprint(stopped), "", ""},
		{"changes of workers in the result", fmt.Sprintf("%d of %d", w.changes-len(w.missing), w.changes), "all", ""},
		{"handoffs: coordinator, workers", fmt.Sprintf("%d, %d", s.handoffs.main, s.handoffs.workers), "", ""},
		{"  empty, made up by the engine", fmt.Sprintf("%d, %d", s.handoffs.empty, s.handoffs.degraded), "0, 0", "7 of 8 (another run)"},
	}
	if c := s.Scripts; c != nil {
		rows = append(rows, row{"scripts, run more than once", fmt.Sprintf("%d, %d (%d runs)", len(c.Each), c.Again, c.Runs), "", "61, 56 (331 runs)"})
	}
	return rows
}

func (m *memory) rows() []row {
	if len(m.sizes) == 0 {
		return nil
	}
	mb := func(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }
	rows := []row{{"memory, peak, MB", mb(m.peak), "", ""}}
	for _, part := range []float64{0.25, 0.5, 0.75, 1} {
		s := m.at(part)
		rows = append(rows, row{fmt.Sprintf("  at %.0f %% of the requests; transcripts", 100*part), mb(s.resident) + "; " + mb(s.transcripts), "", ""})
	}
	return rows
}

func share(part, rest int) *float64 {
	if part+rest == 0 {
		return nil
	}
	f := float64(part) / float64(part+rest)
	return &f
}

func percent(f *float64) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100**f)
}

// grownBy is a growth with so many characters more in so many turns, four to a token as
// the model counts them.
func grownBy(growth *float64, characters, turns int) *float64 {
	if growth == nil || turns == 0 {
		return nil
	}
	more := *growth + float64(characters)/4/float64(turns)
	return &more
}

func tokens(f *float64) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f tokens", *f)
}
