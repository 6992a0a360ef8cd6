package main

import (
	"strings"
	"testing"

	"git-flower/worktree/fence"
)

func TestDoctor(t *testing.T) {
	d := newDesk(t)
	topics := func() string {
		var all []string
		for _, one := range d.jsonOut() {
			all = append(all, one["topic"].(string))
		}
		return strings.Join(all, " ")
	}
	d.expect(1, "doctor", "--json") // without a key no run begins
	if got := topics(); got != "git repository fence key harness state" {
		t.Errorf("outside of a repository it looks at %s", got)
	}
	has(t, d.err.String(), "hint: ")

	d.repository()
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-secret-one")
	d.expect(0, "doctor")
	has(t, d.out.String(), d.dir, "sha1", "objects written by", "a key from the environment", "GiB free", "UDP")
	if strings.Contains(d.out.String(), "secret-one") {
		t.Error("the key was printed")
	}
	for _, hold := range fence.Probe(t.Context()).Holds() {
		mark := "    open    "
		if hold.By != "" {
			mark = "    holds   "
		}
		has(t, d.out.String(), mark+hold.What+": ")
	}

	if strings.Contains(d.out.String(), "checkout itself") {
		t.Error("workers do not edit the checkout")
	}
	d.git("config", "flower.isolate", "no")
	d.expect(0, "doctor")
	has(t, d.out.String(), "workers edit the checkout itself")

	d.git("config", "flower.rounds", "many")
	d.expect(1, "doctor")
	has(t, d.err.String(), "flower.rounds", "hint: ")
}

// A model that is real works with the user's rights only where the user has said so.
func TestWithoutAFenceSomebodyIsAsked(t *testing.T) {
	d := newDesk(t)
	d.repository()
	s := d.begin("run", "Do it", false)
	store, err := d.env.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	unfenced := func(there presence, said string, level fence.Level) error {
		d.env.In = strings.NewReader(said)
		return (&wake{env: d.env, store: store, run: s.run, person: there, config: Config{Fence: level}}).acceptUnfenced(t.Context())
	}
	for _, refused := range []error{unfenced(nobody, "", fence.Auto), unfenced(elsewhere, "y\n", fence.Auto), unfenced(here, "\n", fence.Auto), unfenced(here, "", fence.Auto)} {
		if refused == nil || asEnding(refused).ending != endPerson || asEnding(refused).hint == "" {
			t.Errorf("it went on: %v", refused)
		}
	}
	if err := unfenced(nobody, "", fence.Off); err != nil {
		t.Errorf("turned off: %v", err)
	}
	if err := unfenced(here, "yes\n", fence.Auto); err != nil {
		t.Error(err)
	}
	if err := unfenced(nobody, "", fence.Auto); err != nil {
		t.Errorf("accepted before: %v", err)
	}
}
