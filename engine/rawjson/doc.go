// Package rawjson takes JSON apart and puts it together again by its bytes.
// Nothing is decoded and encoded: the API refuses thinking blocks that changed,
// and its prompt cache misses when a byte does.
//
// All functions but IsObject take bytes that json.Valid has passed, or parts of
// such, and nothing else. What they return shares its memory with what they were
// given where it can, and what they were given stays as it is.
package rawjson
