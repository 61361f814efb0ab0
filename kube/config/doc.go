// Package config reads mullion's own configuration file: a small YAML file of
// which every key, type and line is checked, because a typo in "readOnly" must
// not quietly leave a cluster open to writes. It knows nothing of clusters.
package config
