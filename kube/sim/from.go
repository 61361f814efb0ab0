package sim

import (
	"context"
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"time"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/kube/sim/dump"
)

// StartDump serves what kubectl get wrote into the files ("-" is the standard input) as one read-only cluster, under a
// context that is named after the files. Nothing in it moves. The context given ends nothing: Close does.
func StartDump(_ context.Context, files ...string) (*Demo, error) {
	read, err := dump.Load(files...)
	if err != nil {
		return nil, err
	}
	server, err := apiserver.New(apiserver.Options{
		ReadOnly: true, TLS: true, Users: map[string]apiserver.Role{operator: apiserver.Everything()},
	})
	if err != nil {
		return nil, fmt.Errorf("serve the dump: %w", err)
	}
	d := &Demo{close: []func(){server.Close}, Notes: notes(read), Newest: read.Newest}
	if err := server.Load(read.Objects...); err != nil {
		d.Close()
		return nil, fmt.Errorf("serve the dump: %w", err)
	}
	config := clientcmdapi.NewConfig()
	config.CurrentContext = contextName(files)
	addContext(config, config.CurrentContext, server.URL(), server.CA())
	if err := d.write(config); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// notes tells what an operator must know who looks at the dump.
func notes(d *dump.Dump) []string {
	var all []string
	if !d.Newest.IsZero() {
		all = append(all, "the newest time in the dump is "+d.Newest.Format(time.RFC3339))
	}
	var skipped []string
	for kind, n := range d.Skipped {
		skipped = append(skipped, fmt.Sprintf("%d × %s", n, kind))
	}
	sort.Strings(skipped)
	if len(skipped) > 0 {
		all = append(all, "not shown: "+strings.Join(skipped, ", "))
	}
	return all
}

// contextName is made of the files' names without their folders and extensions.
func contextName(files []string) string {
	var names []string
	for _, f := range files {
		if f == "-" {
			names = append(names, "stdin")
			continue
		}
		base := filepath.Base(f)
		names = append(names, strings.TrimSuffix(base, filepath.Ext(base)))
	}
	return strings.Join(names, "+")
}
