// Package placement answers where a pod can run and why not elsewhere. It decides as
// the scheduler of Kubernetes 1.37 does with its default plug-ins, and then says what
// the scheduler does not look at: whether the node's operating system, its Windows
// build and its CSI drivers let the pod run there.
//
// A Board is one cluster, as it is or as it would be: with nodes cordoned, pods gone,
// and pods promised to nodes.
//
// It does not decide preemption, attach limits of volumes, dynamic resource
// allocation, scheduler extenders and plug-ins that are not on by default.
package placement
