//go:build !flowertest

package main

import "time"

// now is the time.
func now() time.Time { return time.Now() }
