// Package controllers plays the part of a control plane that a simulated API server lacks: what a real cluster's scheduler
// and controller manager do, as far as an operator's tool can see it. Never run it against a cluster that has the real ones.
//
// It is level-triggered from copies of the server's collections, works through one queue, one item at a time, and has no
// clock of its own, so that the same seed and the same steps of the clock give the same cluster.
//
// What it leaves out:
//   - scheduler: preemption, volumes, host ports, topology spread, pod affinity and preferred terms; required anti-affinity
//     only within the pod's own namespace; pods are spread by owner and then by count
//   - Deployment: surge and unavailability limits (old pods go as new ones become ready), Recreate, rollback, history limits
//   - DaemonSet and StatefulSet: updates of the template reach new pods only, as with OnDelete; no volume claims
//   - Job: indexed completion, pod failure policies, TTL, suspension, back-off between failures
//   - ReplicaSet, DaemonSet, StatefulSet: minReadySeconds; selectors that adopt or release pods
//   - node lifecycle: eviction rate limits and partial disruption of zones
//   - garbage collection: only dependants of an owner whose deletion was seen, always in the background; orphaning
//     and foreground deletion are not known
//   - CronJobs, endpoints, namespaces, service accounts, quotas
//
// Pods and nodes with the annotation sim.mullion.dev/hold are left as they are.
package controllers
