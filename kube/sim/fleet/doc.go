// Package fleet plays the machines of a cluster: their kubelets, their boots and their network. It lives through a client-go
// client alone, so that it drives the simulated API server and a real one in the same way.
//
// It has no clock and no randomness of its own: both are handed in, so a test can step through a reboot without waiting.
// Pods that run when the fleet takes a node over run on until they are deleted or the machine stops, Jobs' pods too.
//
// What it leaves out: probes (a container is ready as soon as it runs and has network), images, volumes (a pod that needs
// an absent CSI driver is played by a scenario with the Hold annotation), resource pressure and eviction by the kubelet, and
// new mirror pods for static pods whose mirror was deleted.
package fleet
