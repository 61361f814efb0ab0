package main

import (
	"os"
	"testing"
)

// asProgram is the variable with which the test binary is mullion.
const asProgram = "MULLION_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}
