//go:build !linux

package process

// ancestors: only Linux tells what they were started with.
func ancestors() []int { return nil }

func environ(int) []string { return nil }
