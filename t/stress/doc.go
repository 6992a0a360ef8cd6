// Package stress runs the scripts of area 9: crashes, stress and odd repositories.
// They take as long as all others together, and go gives each package its own time.
package stress
