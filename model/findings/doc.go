// Package findings names what is wrong with a cluster, or will be: each finding has a
// stable ID, what was seen, why it matters and what to do. It is pure, and a finding
// of a node is made anew only when that node's view has changed.
package findings
