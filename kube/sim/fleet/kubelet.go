package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Kubelet is what answers on port 10250 of a node: /stats/summary (with ?only_cpu_and_memory=true the short one),
// /containerLogs/{namespace}/{pod}/{container} and /healthz. While the machine is away, or its Node is held, it answers 503,
// as a proxy says of a connection that was refused. It is nil if the fleet has no such node.
func (f *Fleet) Kubelet(node string) http.Handler {
	m, err := f.machine(node)
	if err != nil {
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	mux.HandleFunc("GET /stats/summary", m.serveSummary)
	mux.HandleFunc("GET /stats/summary/", m.serveSummary)
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", m.serveLogs)
	return m.whileUp(10250, mux)
}

// PodPort is what answers on a port of a pod: on 9182 the windows_exporter, if the pod runs on a Windows node and one of
// its containers declares that port. It is nil if nothing listens.
func (f *Fleet) PodPort(namespace, pod string, port int) http.Handler {
	p, ok := f.pods.Get(namespace, pod)
	if !ok || port != exporterPort || !listensOn(p, exporterPort) {
		return nil
	}
	m, err := f.machine(p.Spec.NodeName)
	if err != nil {
		return nil
	}
	m.mu.Lock()
	s := m.pods[podKey{namespace, pod}]
	cutOff := s != nil && s.cutOff
	windows := m.windows()
	m.mu.Unlock()
	if !windows || cutOff || p.Status.Phase != corev1.PodRunning {
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", m.serveExporter)
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, `{"status":"ok"}`) })
	return m.whileUp(exporterPort, mux)
}

func (m *machine) whileUp(port int, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		up, address := m.up && !(m.node != nil && held(m.node)), m.address()
		m.mu.Unlock()
		if !up {
			http.Error(w, fmt.Sprintf("error trying to reach service: dial tcp %s:%d: connect: connection refused", address, port),
				http.StatusServiceUnavailable)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// busy waits as long as this kubelet takes to gather its statistics; false when the caller has gone or there is an error.
func (m *machine) busy(w http.ResponseWriter, r *http.Request) bool {
	if m.profile.StatsFault != "" {
		m.profile.StatsFault.answer(w)
		return false
	}
	if m.profile.StatsDelay <= 0 {
		return true
	}
	t := m.f.clock.NewTimer(m.profile.StatsDelay)
	defer t.Stop()
	select {
	case <-t.C():
		return true
	case <-r.Context().Done():
		return false
	}
}

func (m *machine) serveSummary(w http.ResponseWriter, r *http.Request) {
	if !m.busy(w, r) {
		return
	}
	m.mu.Lock()
	s := m.summary(r.URL.Query().Get("only_cpu_and_memory") == "true")
	m.mu.Unlock()
	b, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	m.send(w, b)
}

func (m *machine) serveExporter(w http.ResponseWriter, _ *http.Request) {
	var page bytes.Buffer
	m.mu.Lock()
	err := m.writeExporter(&page)
	m.mu.Unlock()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	m.send(w, page.Bytes())
}

func (m *machine) serveLogs(w http.ResponseWriter, r *http.Request) {
	var started time.Time
	if p, ok := m.f.pods.Get(r.PathValue("namespace"), r.PathValue("pod")); ok && p.Spec.NodeName == m.name {
		for _, c := range p.Status.ContainerStatuses {
			if c.Name == r.PathValue("container") && c.State.Running != nil {
				started = c.State.Running.StartedAt.Time
			}
		}
	}
	if started.IsZero() {
		http.Error(w, fmt.Sprintf("container %q of pod %q is not running", r.PathValue("container"), r.PathValue("pod")), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	m.send(w, fmt.Appendf(nil, "%s started\n", started.UTC().Format(time.RFC3339)))
}

// send reports an answer that did not arrive: only the caller can know why.
func (m *machine) send(w http.ResponseWriter, b []byte) {
	if _, err := w.Write(b); err != nil {
		m.f.report(fmt.Errorf("kubelet of %s: answer: %w", m.name, err))
	}
}
