// Package t holds the tests of git flower as a whole: shell scripts that run the
// real binary in real repositories, run by TestScripts, and the rules about who
// may import whom. README.md in this directory tells how to write one.
package t
