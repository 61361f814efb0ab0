package dump

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
)

// Dump is what was read from one or several files.
type Dump struct {
	// Objects are typed, without their TypeMeta, as a typed client returns them; in the order of the files.
	Objects []runtime.Object
	// Skipped counts the objects that were left out because the simulated server does not serve their kind, by
	// "Kind group/version".
	Skipped map[string]int
	// Newest is the latest moment that the objects speak of (UTC): the best guess of when the dump was taken. It is zero
	// when they hold no time.
	Newest time.Time
}

// Source is one input and the name that errors call it by.
type Source struct {
	Name   string
	Reader io.Reader
}

// Load reads files that kubectl get wrote; "-" is the standard input. They may hold lists, single objects and several
// documents, as JSON or YAML, in UTF-8 or UTF-16. The first thing that cannot be read ends it with an error that names the
// file and the place in it.
func Load(files ...string) (*Dump, error) {
	sources := make([]Source, 0, len(files))
	for _, name := range files {
		if name == "-" {
			sources = append(sources, Source{Name: "standard input", Reader: os.Stdin})
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read the dump: %w", err)
		}
		defer f.Close()
		sources = append(sources, Source{Name: name, Reader: f})
	}
	return Read(sources...)
}

// Read is Load for inputs that are open already.
func Read(sources ...Source) (*Dump, error) {
	d := &Dump{Skipped: map[string]int{}}
	r := reader{dump: d, seen: map[identity]string{}}
	for _, s := range sources {
		data, err := io.ReadAll(s.Reader)
		if err != nil {
			return nil, fmt.Errorf("read the dump %s: %w", s.Name, err)
		}
		if err := r.source(s.Name, data); err != nil {
			return nil, fmt.Errorf("read the dump %s: %w", s.Name, err)
		}
	}
	if len(d.Objects) == 0 {
		return nil, fmt.Errorf("read the dump: %w", nothing(d.Skipped))
	}
	return d, nil
}

func nothing(skipped map[string]int) error {
	if len(skipped) == 0 {
		return fmt.Errorf("there is no object in it; write it with kubectl get nodes,pods -A -o json")
	}
	return fmt.Errorf("there is no object of a kind that can be shown in it, only %v; write it with kubectl get nodes,pods -A -o json", skipped)
}

// moments finds the times at which something was done or seen. Fields that name a moment to come (deletionTimestamp,
// the end of a certificate) are not among them.
var moments = regexp.MustCompile(`"(?:creationTimestamp|lastHeartbeatTime|lastTransitionTime|lastProbeTime|lastUpdateTime|` +
	`startTime|completionTime|startedAt|finishedAt|renewTime|acquireTime|timeAdded|time|firstTimestamp|lastTimestamp|` +
	`eventTime|lastObservedTime)"\s*:\s*"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))"`)

// note keeps the latest moment of an object.
func (d *Dump) note(object []byte) {
	for _, m := range moments.FindAllSubmatch(object, -1) {
		at, err := time.Parse(time.RFC3339Nano, string(m[1]))
		if err == nil && at.After(d.Newest) {
			d.Newest = at.UTC()
		}
	}
}
