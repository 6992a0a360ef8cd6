package messages

import (
	"testing"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
)

func newHarness(t testing.TB, s *harnesstest.Stub, transcript harness.Transcript, changes ...func(*Config)) *Harness {
	t.Helper()
	c := Config{BaseURL: s.URL, APIKey: s.Key, Transcript: transcript}
	for _, change := range changes {
		change(&c)
	}
	h, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func maker(t *testing.T, s *harnesstest.Stub, transcript harness.Transcript) harness.Harness {
	return newHarness(t, s, transcript, func(c *Config) { c.HourCache = true })
}

func TestContract(t *testing.T) { harnesstest.Run(t, maker) }
