package kube

import (
	"bytes"
	"io"
	"log"
	"os"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

func TestSilenceLogs(t *testing.T) {
	terminal := os.Stderr
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stderr = write
	state := klog.CaptureState()
	t.Cleanup(func() {
		os.Stderr = terminal
		state.Restore()
		log.SetOutput(terminal)
	})

	var out bytes.Buffer
	SilenceLogs(&out)
	klog.Error("from klog")
	rest.WarningLogger{}.HandleWarningHeader(299, "", "from a server")
	log.Print("from the standard log")
	klog.Flush()

	if err := write.Close(); err != nil {
		t.Fatal(err)
	}
	leaked, err := io.ReadAll(read)
	if err != nil {
		t.Fatal(err)
	}
	if len(leaked) > 0 {
		t.Errorf("on the terminal: %s", leaked)
	}
	for _, want := range []string{"from klog", "from a server", "from the standard log"} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("%q is in the log %d times: %s", want, strings.Count(out.String(), want), out.String())
		}
	}
}
