package main

import (
	"fmt"
	"strings"
	"testing"

	"git-flower/engine/rehearse"
)

func TestPlansAreScriptsAndTheSameForASeed(t *testing.T) {
	for _, long := range []bool{false, true} {
		for seed := range uint64(5) {
			s := shapeOf(long)
			p := newPlan(seed, s)
			if _, err := rehearse.Parse([]byte(p.script)); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if newPlan(seed, s).script != p.script {
				t.Errorf("seed %d makes two runs", seed)
			}
			calls := 0
			for _, n := range p.turns {
				calls += n
			}
			if len(p.turns) != s.workers || calls < s.calls/2 || calls > s.calls*2 {
				t.Errorf("seed %d: %d workers with %d turns", seed, len(p.turns), calls)
			}
		}
	}
}

// request is a body with these words said, the last one with a breakpoint.
func request(system string, said ...string) []byte {
	var blocks []string
	for _, w := range said {
		blocks = append(blocks, fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"%s"}]}`, w))
	}
	body := fmt.Sprintf(`{"tools":[{"name":"Read"}],"system":[{"type":"text","text":"%s","cache_control":{"type":"ephemeral"}}],"messages":[%s]}`, system, strings.Join(blocks, ","))
	i := strings.LastIndex(body, `"}]}`)
	return []byte(body[:i] + `","cache_control":{"type":"ephemeral"}}]}` + body[i+len(`"}]}`):])
}

func TestRecorderFindsRewrites(t *testing.T) {
	r, err := newRecorder("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range [][]byte{
		request("Role: coordinator", "a"), request("Role: worker", "a"), request("Role: coordinator", "a", "b"), request("Role: coordinator", "a", "b", "c"),
	} {
		r.note(body)
	}
	if n, requests := r.rewritten(); n != 0 || requests != 4 {
		t.Errorf("%d of %d rewritten", n, requests)
	}
	if all, main := r.hits(false), r.hits(true); all <= 0 || main <= all || main >= 1 {
		t.Errorf("hits %v, the coordinator's %v", all, main)
	}
	r.note(request("Role: coordinator", "a", "other", "c", "d"))
	if n, _ := r.rewritten(); n != 1 {
		t.Errorf("%d rewritten", n)
	}
}

func TestBrokenPromisesAreErrors(t *testing.T) {
	r, err := newRecorder("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	p := plan{turns: map[string]int{"coder-1": 3}}
	if err := table(&strings.Builder{}, p, r, report{}); err == nil {
		t.Error("a lost worker is no error")
	}
	p.turns = nil
	if err := table(&strings.Builder{}, p, r, report{}); err != nil {
		t.Error(err)
	}
	if err := table(&strings.Builder{}, p, r, report{handoffs: 1, empty: 1}); err == nil {
		t.Error("an empty handoff is no error")
	}
	r.sessions[[32]byte{}] = &seen{rewrites: 2}
	if err := table(&strings.Builder{}, p, r, report{handoffs: 1}); err == nil {
		t.Error("a rewritten beginning is no error")
	}
}
