package kube

import "syscall"

// What Winsock answers; package syscall's own names of these are never returned there
// (Windows Sockets Error Codes, WSAECONNREFUSED and others).
const (
	errnoRefused   = syscall.Errno(10061)
	errnoNoRoute   = syscall.Errno(10065)
	errnoNoNetwork = syscall.Errno(10051)
	errnoReset     = syscall.Errno(10054)
	errnoPipe      = syscall.Errno(10053) // WSAECONNABORTED
)
