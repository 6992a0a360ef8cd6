package guards

import "testing"

func TestAWallThatPanicsDenies(t *testing.T) {
	wall := func(Policy, Call) Decision { panic("broken") }
	d := decide(Policy{}, Call{}, func(Policy, Call) Decision { return Allow() }, wall)
	if d.Allow || d.Reason == "" {
		t.Errorf("%+v", d)
	}
}

func TestTheFirstRefusalSpeaks(t *testing.T) {
	say := func(d Decision) wall { return func(Policy, Call) Decision { return d } }
	if d := decide(Policy{}, Call{}, say(Allow()), say(Deny("one")), say(Deny("two"))); d.Allow || d.Reason != "one" {
		t.Errorf("%+v", d)
	}
	if d := decide(Policy{}, Call{}, say(Decision{})); d.Allow {
		t.Error("the zero decision allows")
	}
}
