package kube

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// klog keeps its settings in globals without a lock, so they are changed in a process
// of its own, as at the start of a program.
func TestSilenceLogs(t *testing.T) {
	const child = "MULLION_TEST_SILENT"
	if os.Getenv(child) != "" {
		var out bytes.Buffer
		SilenceLogs(&out)
		klog.Error("from klog")
		rest.WarningLogger{}.HandleWarningHeader(299, "", "from a server")
		log.Print("from the standard log")
		klog.Flush()
		fmt.Println(out.String())
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSilenceLogs$", "-test.v")
	cmd.Env = append(os.Environ(), child+"=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s%s", err, stdout.String(), stderr.String())
	}
	if stderr.Len() > 0 {
		t.Errorf("on the terminal: %s", stderr.String())
	}
	for _, want := range []string{"from klog", "from a server", "from the standard log"} {
		if strings.Count(stdout.String(), want) != 1 {
			t.Errorf("%q is in the log %d times: %s", want, strings.Count(stdout.String(), want), stdout.String())
		}
	}
}
