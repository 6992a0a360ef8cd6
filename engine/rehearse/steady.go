package rehearse

// Parts of a text that differ between two runs of the same thing: absolute
// paths, times, durations, object ids and other long hex numbers.
var unsteady = lazily(`(?:[A-Za-z]:)?[/\\][^\s'"` + "`" + `<>()\[\]]+` +
	`|\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?` +
	`|\b\d+(?:\.\d+)?(?:ms|s|m|h)\b` +
	`|\b[0-9a-f]{7,64}\b|\b[0-9a-f-]{36}\b`)

// steady is a text without what differs between reruns.
func steady(s string) string { return unsteady().ReplaceAllString(s, "·") }
