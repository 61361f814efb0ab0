// Package dump reads what kubectl get -o json or -o yaml wrote, so that a cluster can be looked at offline.
package dump
