//go:build !unix

package messages

// openAtOnce is nothing here: there are no pipes among files.
const openAtOnce = 0
