package fleet

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	bootTime       = 10 * time.Second // seed 001: the node was back 10 s after Restart-Computer
	networkWindows = 28 * time.Second // seed 001: Calico and kube-proxy restarted 28 s after it
	networkLinux   = 5 * time.Second  // after the boot
)

// reboot stops the machine in an orderly way and starts it again.
func (m *machine) reboot() {
	m.stop(false)
	if m.profile.NeverReturns && !m.returned {
		m.returned = true
		return
	}
	m.startIn(0)
}

func (m *machine) powerOff(off time.Duration) {
	m.stop(true)
	if off > 0 {
		m.startIn(off)
	}
}

// stop ends everything that runs. An unclean stop stays one until the machine is rebooted in an orderly way while it is up.
func (m *machine) stop(unclean bool) {
	m.boot++
	m.unclean = unclean || !m.up && m.unclean
	if m.up {
		m.downAt = m.now()
	}
	m.up = false
}

// startIn switches the machine on after a delay. Its clock for boot and network starts then.
func (m *machine) startIn(d time.Duration) {
	boot := or(m.profile.BootTime, bootTime)
	network := boot + networkLinux
	if m.windows() {
		network = networkWindows
	}
	network = max(or(m.profile.NetworkDelay, network), boot)
	on := m.now().Add(d)
	m.at(on.Add(boot/2), func(context.Context) error { m.bootedAt = m.now(); return nil })
	up := on.Add(boot + m.profile.SlowBoot)
	m.networkAt = on.Add(network + m.profile.SlowBoot)
	m.at(up, m.kubeletUp)
	m.at(m.networkAt, m.networkUp)
}

// kubeletUp is the first moment of the kubelet after a boot. It may run again after a failed call.
func (m *machine) kubeletUp(ctx context.Context) error {
	if m.node == nil || held(m.node) {
		return nil
	}
	if !m.up {
		m.up = true
		m.kubeletAt = m.now()
		m.info.BootID = m.nextBootID()
		m.info.KernelVersion = withRevision(m.info.KernelVersion, m.profile.RevisionAfterReboot)
		m.after(0, m.bootEvents)
		m.after(0, m.heartbeat)
		m.recover()
	}
	return m.postStatus(ctx)
}

// nextBootID counts on Windows, where the ID is a counter in the registry, and is random on Linux. A kubelet that never
// told one (before 1.24 on Windows) still does not.
func (m *machine) nextBootID() string {
	old := m.info.BootID
	switch {
	case !m.windows():
		return m.uuid()
	case old == "":
		return ""
	}
	n, err := strconv.Atoi(old)
	if err != nil {
		return m.uuid()
	}
	return strconv.Itoa(n + 1)
}

// withRevision replaces the fourth part of a Windows version; 0 keeps it.
func withRevision(version string, revision int) string {
	parts := strings.Split(version, ".")
	if revision == 0 || len(parts) < 3 {
		return version
	}
	return strings.Join(append(parts[:3:3], strconv.Itoa(revision)), ".")
}

// bootEvents are what the kubelet says of its start; the order is the kubelet's.
func (m *machine) bootEvents(ctx context.Context) error {
	id := m.info.BootID
	errs := []error{m.nodeEvent(ctx, corev1.EventTypeNormal, "Starting", "Starting kubelet.")}
	if id != "" {
		errs = append(errs, m.nodeEvent(ctx, corev1.EventTypeWarning, "Rebooted",
			fmt.Sprintf("Node %s has been rebooted, boot id: %s", m.name, id)))
	}
	return errors.Join(errs...)
}

// networkUp is the moment from which pods get network: the host's network pods restart, and kube-proxy says so.
func (m *machine) networkUp(ctx context.Context) error {
	if !m.live() || !m.profile.Services && !m.hasKubeProxy() {
		return nil
	}
	return m.kubeProxyEvent(ctx)
}

func (m *machine) hasKubeProxy() bool {
	for k := range m.pods {
		if strings.HasPrefix(k.name, "kube-proxy") {
			return true
		}
	}
	return false
}

func or(d, fallback time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return fallback
}
