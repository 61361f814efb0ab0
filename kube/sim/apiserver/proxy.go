package apiserver

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// kubeletPort is the port that a node's proxy reaches when the request names none.
const kubeletPort = 10250

// proxy hands a request for nodes/N/proxy, pods/P:port/proxy or services/scheme:S:port/proxy to the handler that stands for the far end.
func (s *Server) proxy(q *request) error {
	_, name, port := splitTarget(q.name)
	asked := *q
	asked.name = name
	it := s.store.get(q.res, asked.key())
	if it == nil {
		return asked.notFound()
	}
	var h http.Handler
	switch q.res.plural {
	case "nodes":
		h = s.kubelet(name)
		if port == 0 {
			port = kubeletPort
		}
	case "services":
		if f := s.services.Load(); f != nil && *f != nil {
			h = (*f)(q.namespace, name, servicePort(it.obj.(*corev1.Service), q.name))
		}
		if h == nil {
			return apierrors.NewServiceUnavailable(fmt.Sprintf("no endpoints available for service %q", q.name))
		}
	default:
		if port == 0 {
			port = firstPort(it.obj.(*corev1.Pod))
		}
		if f := s.podPorts.Load(); f != nil && *f != nil {
			h = (*f)(q.namespace, name, port)
		}
	}
	if n, ok := it.obj.(*corev1.Node); ok && len(n.Status.Addresses) == 0 {
		return errors.New("no preferred addresses found; known addresses: []")
	}
	if h == nil {
		return apierrors.NewServiceUnavailable(fmt.Sprintf("error trying to reach service: dial tcp %s: connect: connection refused",
			addressOf(it, port)))
	}
	return q.forward(h, q.rest, q.query)
}

func (s *Server) kubelet(node string) http.Handler {
	f := s.kubelets.Load()
	if f == nil || *f == nil {
		return nil
	}
	return (*f)(node)
}

// splitTarget takes "name", "name:port" and "scheme:name:port" apart. A port of 0 is none.
func splitTarget(s string) (scheme, name string, port int) {
	parts := strings.Split(s, ":")
	switch len(parts) {
	case 2:
		port, _ = strconv.Atoi(parts[1])
		return "", parts[0], port
	case 3:
		port, _ = strconv.Atoi(parts[2])
		return parts[0], parts[1], port
	}
	return "", s, 0
}

// servicePort finds the port that a proxy request names by number or by name; none is 80, as the real server has it.
func servicePort(s *corev1.Service, target string) int {
	parts := strings.Split(target, ":")
	asked := parts[len(parts)-1]
	for _, p := range s.Spec.Ports {
		if len(parts) > 1 && (p.Name == asked || strconv.Itoa(int(p.Port)) == asked) {
			return int(p.Port)
		}
	}
	return 80
}

func firstPort(p *corev1.Pod) int {
	for _, c := range p.Spec.Containers {
		for _, port := range c.Ports {
			return int(port.ContainerPort)
		}
	}
	return 80
}

func addressOf(it *item, port int) string {
	host := it.meta.GetName()
	switch o := it.obj.(type) {
	case *corev1.Pod:
		if o.Status.PodIP != "" {
			host = o.Status.PodIP
		}
	case *corev1.Node:
		for _, a := range o.Status.Addresses {
			if a.Type == corev1.NodeInternalIP {
				host = a.Address
				break
			}
		}
	}
	return fmt.Sprintf("%s:%d", host, port)
}

// forward lets the handler answer, under the path that the far end would see.
func (q *request) forward(h http.Handler, path string, query url.Values) error {
	r := q.r.Clone(q.r.Context())
	r.URL = &url.URL{Path: path, RawQuery: query.Encode()}
	r.RequestURI = r.URL.RequestURI()
	r.Header.Del("Authorization")
	w := &codeKeeper{ResponseWriter: q.w, code: http.StatusOK}
	q.code = http.StatusOK
	h.ServeHTTP(w, r)
	q.code = w.code
	return nil
}

// codeKeeper remembers the status of a forwarded answer for the audit log.
type codeKeeper struct {
	http.ResponseWriter
	code int
}

func (w *codeKeeper) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap lets http.ResponseController reach Flush.
func (w *codeKeeper) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *codeKeeper) Flush() {
	if f, ok := w.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// podLog asks the pod's kubelet for the log of a container.
func (s *Server) podLog(q *request) error {
	it := s.store.get(q.res, q.key())
	if it == nil {
		return q.notFound()
	}
	pod := it.obj.(*corev1.Pod)
	container, err := chooseContainer(pod, q.query.Get("container"))
	if err != nil {
		return err
	}
	if pod.Spec.NodeName == "" {
		return apierrors.NewBadRequest(fmt.Sprintf("pod %s does not have a host assigned", pod.Name))
	}
	path := fmt.Sprintf("/containerLogs/%s/%s/%s", pod.Namespace, pod.Name, container)
	h := s.kubelet(pod.Spec.NodeName)
	if h == nil {
		return apierrors.NewInternalError(fmt.Errorf("Get \"https://%s:%d%s\": dial tcp: connect: connection refused",
			pod.Spec.NodeName, kubeletPort, path))
	}
	query := q.query
	query.Del("container")
	return q.forward(h, path, query)
}

func chooseContainer(pod *corev1.Pod, name string) (string, error) {
	var names []string
	for _, c := range append(append([]corev1.Container(nil), pod.Spec.Containers...), pod.Spec.InitContainers...) {
		if c.Name == name {
			return name, nil
		}
		names = append(names, c.Name)
	}
	if name != "" {
		return "", apierrors.NewBadRequest(fmt.Sprintf("container %s is not valid for pod %s", name, pod.Name))
	}
	switch n := len(pod.Spec.Containers); {
	case n == 1:
		return pod.Spec.Containers[0].Name, nil
	case n == 0:
		return "", apierrors.NewBadRequest(fmt.Sprintf("a container name must be specified for pod %s", pod.Name))
	}
	if name := pod.Annotations["kubectl.kubernetes.io/default-container"]; name != "" {
		return name, nil
	}
	return "", apierrors.NewBadRequest(fmt.Sprintf("a container name must be specified for pod %s, choose one of: %v", pod.Name, names))
}
