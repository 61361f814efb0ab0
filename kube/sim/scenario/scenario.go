package scenario

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
)

// Example is the annotation that names the finding of the catalogue (F01 … F28) that an object is an example of.
const Example = "mullion.dev/example"

// Scenario is one simulated cluster at the moment it starts.
type Scenario struct {
	// Name is the word for Named and for the demo's context.
	Name string
	// Title says in one line what the cluster shows.
	Title string
	// Objects are in an order in which they can be created: namespaces and nodes first, owners before what they own.
	Objects []runtime.Object
	// Profiles says how single machines behave, by node name. A node that is not in it is a healthy one.
	Profiles map[string]fleet.Profile
}

var makers = []struct {
	name string
	make func(now time.Time) (*Scenario, error)
}{
	{"lab", Lab},
	{"fleet", Fleet},
	{"trouble", Trouble},
}

// Names returns the names that Named knows, in the order in which the demo shows them.
func Names() []string {
	names := make([]string, 0, len(makers))
	for _, m := range makers {
		names = append(names, m.name)
	}
	return names
}

// Named makes the scenario of that name as it is at now; all ages in it count back from there.
func Named(name string, now time.Time) (*Scenario, error) {
	for _, m := range makers {
		if m.name == name {
			return m.make(now)
		}
	}
	return nil, fmt.Errorf("no scenario %q: there are %s", name, strings.Join(Names(), ", "))
}
