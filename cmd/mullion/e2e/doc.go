// Package e2e drives the built mullion on a virtual terminal against a real control
// plane on which the lab's machines live. Its tests carry the build tag e2e;
// `make e2e` runs them.
package e2e
