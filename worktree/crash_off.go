//go:build !flowertest

package worktree

// crashPoint is where a build with the tag flowertest can be made to die.
func crashPoint(string) {}
