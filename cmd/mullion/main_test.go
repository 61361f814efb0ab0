package main

import (
	"context"
	"fmt"
	"os"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// asProgram is the variable with which the test binary is mullion.
const asProgram = "MULLION_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "":
	case crashing:
		err := runProgram(context.Background(), &terminal{File: os.Stdout}, crash{})
		fmt.Fprintln(os.Stderr, err)
		os.Exit(err.(*exitError).code)
	default:
		main()
	}
	os.Exit(m.Run())
}

// crashing is the value of asProgram with which it runs a UI that has a bug.
const crashing = "crash"

// crash panics on the first key: in its Update on u, in a command on any other.
type crash struct{}

func (crash) Init() tea.Cmd { return tea.EnableMouseCellMotion }
func (crash) View() string  { return "waiting for a key" }

func (c crash) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	key, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		return c, nil
	case key.String() == "u":
		panic("a bug in Update")
	default:
		return c, func() tea.Msg { panic("a bug in a command") }
	}
}
