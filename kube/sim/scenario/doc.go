// Package scenario holds the simulated clusters as data: the lab of the source articles, a mixed fleet, a cluster in
// which everything is wrong, and a generator for any size.
//
// A scenario is a list of complete Kubernetes objects as an API server would return them, without resourceVersions. Owner
// references resolve, selectors match, replica counts are met: controllers that are started on it find nothing to do.
package scenario
