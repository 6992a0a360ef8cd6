package wire

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// limitEnds finds out when a usage limit ends: from the rate-limit header of a
// plan, else from the words, "resets 3pm (Europe/Berlin)", "regain access on
// 2026-12-01 at 00:00 UTC", "limit reached|1764547200".
func limitEnds(h http.Header, text string, now time.Time) (time.Time, bool) {
	if h.Get("anthropic-ratelimit-unified-status") == "rejected" {
		if at, ok := epoch(h.Get("anthropic-ratelimit-unified-reset"), now); ok {
			return at, true
		}
	}
	if !usageLimit.MatchString(text) {
		return time.Time{}, false
	}
	for _, parse := range []func(string, time.Time) (time.Time, bool){atEpoch, atDate, atClock} {
		if at, ok := parse(text, now); ok {
			return at, true
		}
	}
	return time.Time{}, false
}

// epoch reads Unix seconds that are at most a year away.
func epoch(s string, now time.Time) (time.Time, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	at := time.Unix(n, 0)
	if err != nil || at.Before(now) || at.After(now.AddDate(1, 0, 0)) {
		return time.Time{}, false
	}
	return at, true
}

var pipeEpoch = regexp.MustCompile(`\|\s*(\d{9,11})\b`)

func atEpoch(text string, now time.Time) (time.Time, bool) {
	m := pipeEpoch.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, false
	}
	return epoch(m[1], now)
}

var isoDate = regexp.MustCompile(`\b(\d{4}-\d{2}-\d{2})(?:(?:T| at | )(\d{2}:\d{2})(?::\d{2})?)?(?:\.\d+)?\s*(Z|UTC|GMT)?`)

func atDate(text string, now time.Time) (time.Time, bool) {
	m := isoDate.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, false
	}
	if m[2] == "" {
		m[2] = "00:00"
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", m[1]+" "+m[2], time.UTC)
	if err != nil || at.Before(now) || at.After(now.AddDate(1, 0, 0)) {
		return time.Time{}, false
	}
	return at, true
}

var clock = regexp.MustCompile(`(?i)resets?(?: at)?\s+(\d{1,2})(?::(\d{2}))?\s*([ap]m)?(?:\s*\(([A-Za-z_+/-]+)\))?`)

// atClock reads a time of day, the next such one after now; without a zone,
// the local one.
func atClock(text string, now time.Time) (time.Time, bool) {
	m := clock.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, false
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	half := strings.ToLower(m[3])
	if hour > 23 || minute > 59 || half != "" && (hour == 0 || hour > 12) || half == "" && m[2] == "" {
		return time.Time{}, false
	}
	if half != "" {
		hour = hour%12 + map[string]int{"am": 0, "pm": 12}[half]
	}
	zone := now.Location()
	if z, err := time.LoadLocation(m[4]); err == nil && m[4] != "" {
		zone = z
	}
	day := now.In(zone)
	at := time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, zone)
	if !at.After(now) {
		at = time.Date(day.Year(), day.Month(), day.Day()+1, hour, minute, 0, 0, zone)
	}
	return at, true
}
