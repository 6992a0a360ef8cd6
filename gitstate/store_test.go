package gitstate

import (
	"testing"
)

func TestARunIsRecordedAndReadBack(t *testing.T) {
	dir := newRepo(t)
	s := open(t, dir, Config{})
	r := create(t, s, "add-json-flag")
	add(t, r, Record{Kind: KindBrief, Subject: "a flag", Body: "## Goal\n\nA flag\n---\nFlower-Kind: end"})
	e := add(t, r, Record{Kind: KindReport, Subject: "done", Body: "done", Meta: Meta{Worker: "coder-1", Round: 1, Cost: 12345, Code: head(t, s)},
		With:  []Doc{{Kind: KindStep, Meta: Meta{Step: "work", State: "ok"}, Body: "text"}},
		Files: map[string][]byte{"ledger/w1.json": []byte(`[{"step":"work","cost_micro_usd":5}]`), "bench/scripts/x/run.sh": []byte("#!/bin/sh\n")},
		Refs:  []RefUpdate{{Name: "refs/flower/join/add-json-flag", New: head(t, s)}}})
	add(t, r, Record{Kind: KindSession, Subject: "begins", Meta: Meta{Step: "work", Session: "s1", Harness: "messages"}})
	sound(t, dir)
	again, err := s.Run(t.Context(), "add-j")
	if err != nil {
		t.Fatal(err)
	}
	if len(again.History().Docs) != 5 || again.History().Spent() != 5 || again.Tip() != r.Tip() {
		t.Errorf("history %+v", again.History())
	}
	log := entries(t, s, "add-json-flag")
	if len(log) != 4 || log[1].Commit != e.Commit || log[1].Meta.Cost != 12345 {
		t.Errorf("log %+v", log)
	}
	runs, err := s.Runs(t.Context())
	if err != nil || len(runs) != 1 || runs[0].Kind != KindSession || runs[0].Err != nil {
		t.Errorf("runs %+v, %v", runs, err)
	}
	t.Log(run(t, dir, "log", "--stat", "flower/run/add-json-flag"))
}
