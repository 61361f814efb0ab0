package kube

import (
	"flag"
	"fmt"
	"io"
	"log"

	"k8s.io/klog/v2"
)

// SilenceLogs sends what client-go, klog and net/http log, and the warnings that
// API servers attach to answers, to w instead of the terminal, where they would
// tear the screen. It is for the start of a program, before any request.
func SilenceLogs(w io.Writer) {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	// klog writes errors to stderr beside any other output unless the threshold
	// is above them, and every line once for each lower severity without one_output.
	for name, value := range map[string]string{"logtostderr": "false", "stderrthreshold": "FATAL", "one_output": "true"} {
		if err := flags.Set(name, value); err != nil {
			panic(fmt.Sprintf("klog has no flag %s=%s any more: %v", name, value, err))
		}
	}
	klog.SetOutput(w)
	log.SetOutput(w)
}
