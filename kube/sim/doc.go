// Package sim puts the simulated clusters together: an API server, the machines that live through it and the controllers
// of a control plane, started from a scenario or from a dump.
package sim
