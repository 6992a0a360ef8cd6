// Command perf measures the product side by side with git and prints a table.
//
//	go run ./t/perf [-only <group>] [-long]
//
// Each figure comes from pairs: ours and the other run one after the other in
// this process, the order swapped from pair to pair, so that a load on the
// machine falls on both. The ratio is the median of the ratios pair by pair.
//
// Before a row is printed the program has checked that both sides did the same:
// the same objects are there, the same trailers were read, the same number of
// entries came back. It never fails because something is slow. It ends with 1
// when something could not be measured or the sides disagree.
//
// How to read the table, and the last figures, are in README.md.
package main
