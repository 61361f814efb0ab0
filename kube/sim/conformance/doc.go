// Package conformance is a table of requests that an API server answers, and what it answered: the same table is run against
// the simulated server and against kube-apiserver, and the answers are compared. What cannot be equal (resourceVersions,
// UIDs, times, generated names) is blanked, and of objects only the fields are kept that a step is about.
package conformance
