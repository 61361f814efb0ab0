package sim

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/kube/sim/controllers"
	"github.com/mullion-tui/mullion/kube/sim/fleet"
	"github.com/mullion-tui/mullion/kube/sim/scenario"
)

// Options set up a Cluster. The zero value is a cluster that lives on the real clock, with the user "admin".
type Options struct {
	// Clock is the time of server, machines and controllers; nil is the real one.
	Clock clock.WithTicker
	// Seed decides all that is random in the machines.
	Seed uint64
	// Users by bearer token; empty: "admin", who may do everything. The simulation's own user is added.
	Users map[string]apiserver.Role
	// Still leaves out machines and controllers: the cluster stays exactly as it was loaded.
	Still bool
	// Report is told of each failed call of a machine or a controller, which is tried again. nil: nobody is told.
	Report func(error)
}

// inside is the user that the simulation itself works as.
const inside = "system:simulation"

// Cluster is one simulated cluster that is running.
type Cluster struct {
	server *apiserver.Server
	fleet  *fleet.Fleet
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// Start loads the scenario into a new API server and, unless it is to stay still, lets it live. It returns when the server
// answers with all objects of the scenario. The cluster ends with ctx or with Close.
func Start(ctx context.Context, sc *scenario.Scenario, o Options) (*Cluster, error) {
	users := map[string]apiserver.Role{}
	for name, role := range o.Users {
		users[name] = role
	}
	if len(users) == 0 {
		users["admin"] = apiserver.Everything()
	}
	users[inside] = apiserver.Everything()
	server, err := apiserver.New(apiserver.Options{Clock: o.Clock, Users: users, TLS: true})
	if err != nil {
		return nil, fmt.Errorf("start the simulated cluster %s: %w", sc.Name, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	c := &Cluster{server: server, cancel: cancel}
	if err := c.start(ctx, sc, o); err != nil {
		c.Close()
		return nil, fmt.Errorf("start the simulated cluster %s: %w", sc.Name, err)
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, sc *scenario.Scenario, o Options) error {
	if err := c.server.Load(sc.Objects...); err != nil {
		return err
	}
	config := c.server.Config(inside)
	config.ContentType, config.UserAgent = "application/vnd.kubernetes.protobuf", "mullion-simulation"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	c.fleet = fleet.New(client, fleet.Options{Clock: o.Clock, Seed: o.Seed, Profiles: sc.Profiles, Report: o.Report})
	if o.Still {
		return nil
	}
	// Who asks a machine before the fleet has taken it over waits that moment, instead of finding nobody there.
	c.server.SetKubelets(func(node string) http.Handler {
		c.awaitFleet(ctx)
		return c.fleet.Kubelet(node)
	})
	c.server.SetPodPorts(func(namespace, pod string, port int) http.Handler {
		c.awaitFleet(ctx)
		return c.fleet.PodPort(namespace, pod, port)
	})
	c.live(ctx, o.Report, c.fleet.Run)
	c.live(ctx, o.Report, controllers.New(client, controllers.Options{Clock: o.Clock, Seed: o.Seed, Report: o.Report}).Run)
	return nil
}

func (c *Cluster) awaitFleet(ctx context.Context) {
	select {
	case <-c.fleet.Playing():
	case <-ctx.Done():
	}
}

// live runs a part of the simulation until the cluster ends.
func (c *Cluster) live(ctx context.Context, report func(error), run func(context.Context) error) {
	c.done.Go(func() {
		if err := run(ctx); err != nil && ctx.Err() == nil && report != nil {
			report(err)
		}
	})
}

// Server is the cluster's API server.
func (c *Cluster) Server() *apiserver.Server { return c.server }

// Close ends everything that Start started, and returns when it has ended.
func (c *Cluster) Close() {
	c.cancel()
	c.done.Wait()
	c.server.Close()
}
