// Package e2e tests kube against a real control plane. Its tests carry the build
// tag e2e; `make e2e` builds the control plane and runs them. What drives the built
// binary is in cmd/mullion/e2e, since only cmd knows both kube and ui.
package e2e
