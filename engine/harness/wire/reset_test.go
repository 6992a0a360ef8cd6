package wire

import (
	"net/http"
	"testing"
	"time"
)

func TestHowLongToWait(t *testing.T) {
	now := time.Date(2026, 11, 30, 14, 30, 0, 0, time.UTC)
	for v, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "0": 0, "-3": 0, "1.5": 1500 * time.Millisecond, "soon": 0,
		"Mon, 30 Nov 2026 14:31:00 GMT": time.Minute, "Mon, 30 Nov 2026 14:00:00 GMT": 0, "1e300": 31 * 24 * time.Hour, "NaN": 0,
	} {
		h := http.Header{}
		h.Set("Retry-After", v)
		if got := retryAfter(h, now); got != want {
			t.Errorf("%q: %v, want %v", v, got, want)
		}
	}
	h := http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"9"}}
	if got := retryAfter(h, now); got != 250*time.Millisecond {
		t.Errorf("milliseconds: %v", got)
	}
}

func TestWhenAUsageLimitEnds(t *testing.T) {
	now := time.Date(2026, 11, 30, 14, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"You've hit your limit · resets 3pm":                               "2026-11-30T15:00:00Z",
		"You've hit your limit · resets 3pm (UTC)":                         "2026-11-30T15:00:00Z",
		"You've hit your limit. resets at 2:15 PM":                         "2026-12-01T14:15:00Z",
		"usage limit reached, resets 12am":                                 "2026-12-01T00:00:00Z",
		"usage limit reached, resets at 23:45":                             "2026-11-30T23:45:00Z",
		"Claude usage limit reached|1796050800":                            time.Unix(1796050800, 0).UTC().Format(time.RFC3339),
		"usage limits. You will regain access on 2026-12-01 at 00:00 UTC.": "2026-12-01T00:00:00Z",
		"usage limit resets at 2026-12-02T08:00:00Z":                       "2026-12-02T08:00:00Z",
		"usage limit reached":                                              "",
		"usage limit resets 3":                                             "",
		"usage limit resets 99pm":                                          "",
		"usage limit|1":                                                    "",
		"usage limit ends 1999-01-01":                                      "",
		"you are too fast, quota resets 3pm":                               "",
	} {
		at, ok := limitEnds(http.Header{}, text, now)
		got := ""
		if ok {
			got = at.UTC().Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	h := http.Header{"Anthropic-Ratelimit-Unified-Status": {"rejected"}, "Anthropic-Ratelimit-Unified-Reset": {"1796050800"}}
	if at, ok := limitEnds(h, "no", now); !ok || at.Unix() != 1796050800 {
		t.Errorf("header: %v %v", at, ok)
	}
}

func FuzzLimitEnds(f *testing.F) {
	f.Add("usage limit resets 3:07pm (Europe/Berlin)")
	f.Add("usage limit|99999999999 2026-13-45 at 99:99")
	now := time.Date(2026, 11, 30, 14, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		if at, ok := limitEnds(http.Header{}, text, now); ok && (at.Before(now) || at.After(now.AddDate(1, 0, 1))) {
			t.Errorf("ends at %v", at)
		}
	})
}
