// Package spending keeps what a run costs: one budget that every request of every
// session is asked of (Purse), and books that reach the records and, before the next
// request, this machine's journal (Books), so that no crash forgets it and nothing
// counts twice.
package spending
