// Package vterm runs a real binary on a pseudo-terminal with a screen that tests
// can read, resize and press keys on. What the binary asks its terminal (colours,
// attributes, cursor position) is answered, as a terminal does.
//
// It waits for output and never for a length of time; the one deadline there is
// fails the test and prints the screen. It does not exist on Windows, which has
// no pty: tests that import it carry "//go:build !windows".
package vterm
