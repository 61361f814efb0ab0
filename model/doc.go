// Package model is the domain of a hybrid cluster: nodes with their operating
// system and Windows build, pods and where they are, and what follows from both.
//
// It is pure. It does no I/O, reads no clock (time comes in with the data or as
// an argument), starts no goroutine, and knows neither client-go nor Bubble Tea.
// A value that was handed out in a Snapshot is never written again.
package model
