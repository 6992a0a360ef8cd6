// Package wire is what talking to the Messages API has in common, whoever asks:
// which fault an answer is, when it is whole, what it counted, and how large a
// request is. Requests are the caller's own.
//
// Faults decides what an error means from status, header and body, by the
// fields that the API sends first, by words only where no field tells.
//
// Tally follows one answer, event by event, and refuses what no API sends. An
// answer counts when message_stop has come; what it used is known also when it
// broke off, and estimated where the server said nothing, because an unknown
// cost must not be booked as none.
//
// Size estimates a request in tokens, from what the last answer counted and
// from the bytes that came since, rather too many than too few.
package wire
