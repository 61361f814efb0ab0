//go:build unix

package kube

import "syscall"

const (
	errnoRefused   = syscall.ECONNREFUSED
	errnoNoRoute   = syscall.EHOSTUNREACH
	errnoNoNetwork = syscall.ENETUNREACH
	errnoReset     = syscall.ECONNRESET
	errnoPipe      = syscall.EPIPE
)
